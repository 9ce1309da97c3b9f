/** A refusal as the service words it, which no client tries to get around. */
export function refusal(detail: string) {
  return {
    status: 403,
    body: {
      type: 'https://patchbay.example/docs/errors.md#forbidden',
      title: 'The token does not allow this.',
      status: 403,
      detail,
      code: 'forbidden',
      retry: 'never',
      request_id: '01a2028e-7740-7c16-a91c-28c5254bf8f8',
      message: detail,
      errors: [],
    },
  };
}
