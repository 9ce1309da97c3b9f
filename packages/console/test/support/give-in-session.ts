/**
 * Does what a person does on the connect page: opens the link and gives a token, which the sandbox takes.
 *
 * @param connectUrl The link, with its secret.
 */
export async function giveInSession(serviceUrl: string, connectUrl: string): Promise<void> {
  const post = async (path: string, body: object, cookie = '') => {
    const response = await fetch(`${serviceUrl}/connect/sessions/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: serviceUrl,
        'sec-fetch-site': 'same-origin',
        cookie,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const opened = await post('open', { secret: new URL(connectUrl).hash.slice(1) });
  const cookies = opened.headers.getSetCookie().map((set) => set.split(';', 1)[0]);
  const { id } = (await opened.json()) as { readonly id: string };
  await post(
    `${id}/credentials`,
    {
      connector_type: 'chat-workspace',
      method: 'token',
      credentials: { api_token: 'demo' },
      config: {},
    },
    cookies.join('; '),
  );
}
