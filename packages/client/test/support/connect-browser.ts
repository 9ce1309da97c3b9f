/** A person's browser on the connect page, as far as a service can tell. */
export interface PersonsBrowser {
  /** Opens a link; the session as the page sees it. */
  open(connectUrl: string): Promise<PageView>;
  /** Enters a Slack token. */
  enter(view: PageView, token?: string): Promise<PageView>;
}

/** What the page sees of a session, and what went wrong. */
export interface PageView {
  readonly id: string;
  readonly status?: string;
  readonly connector_id?: string | null;
  readonly code?: string;
}

export function makePersonsBrowser(serviceUrl: string): PersonsBrowser {
  const cookies = new Map<string, string>();
  const post = async (path: string, body: unknown): Promise<PageView> => {
    const answer = await fetch(`${serviceUrl}/connect/sessions/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: serviceUrl,
        'sec-fetch-site': 'same-origin',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      body: JSON.stringify(body),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return (await answer.json()) as PageView;
  };
  return {
    open: (connectUrl) => post('open', { secret: new URL(connectUrl).hash.slice(1) }),
    enter: ({ id }, token = 'xoxb-of-a-person') =>
      post(`${id}/credentials`, {
        connector_type: 'chat-workspace',
        method: 'token',
        credentials: { api_token: token },
        config: {},
      }),
  };
}
