/** A refusal as the service words it, which no client tries to get around. */
export function refusal(detail: string, { status = 403, code = 'forbidden' } = {}) {
  return {
    status,
    body: {
      type: 'https://patchbay.example/docs/errors.md',
      title: 'It was refused.',
      status,
      detail,
      code,
      retry: 'never',
      request_id: '01a2028e-7740-7c16-a91c-28c5254bf8f8',
      message: detail,
      errors: [],
    },
  };
}
