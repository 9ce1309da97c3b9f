/**
 * Opens Patchbay's connect page from a page of yours: an entry point of its own,
 * `@patchbay/client/connect`, which imports nothing and so runs as it is in any browser.
 */

/** What came of a connect page. Who decides is your backend: this is for the page to show. */
export interface ConnectResult {
  /**
   * - `unconfirmed`: connected, and waits for your backend to confirm it
   * - `succeeded`: connected
   * - `expired`: its 30 minutes are over
   * - `closed`: closed before anything was connected; the same address may be opened again
   */
  readonly status: 'unconfirmed' | 'succeeded' | 'expired' | 'closed';
  /** `null` where nobody said which, as without `poll`. */
  readonly sessionId: string | null;
  /**
   * What only the browser that connected is told, by the page itself: give it to your backend, which
   * confirms with it. `null` where nobody told it.
   */
  readonly connectorId: string | null;
  /** Why the last attempt failed, for example `access_denied`; its words are for people. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What `poll` brings of what the service says of the session. */
export interface PolledSession {
  readonly status: string;
  readonly id?: string | null | undefined;
  readonly error?: ConnectResult['error'] | undefined;
}

/** How a connect page is opened. */
export interface OpenConnectOptions {
  /** A pop-up unless said; `redirect` leaves your page, and the person comes back to `return_url`. */
  readonly mode?: 'popup' | 'redirect' | undefined;
  /**
   * Asks your backend how the session is. Called once the pop-up seems to be gone: some vendors'
   * pages cut the tie to it, so that it looks closed while the person is still there. It then ends at
   * the session's `return_url`, where your backend confirms; polled until that has happened.
   */
  readonly poll?: (() => Promise<PolledSession>) | undefined;
  /** Closes the pop-up, and rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** The window to open it from; the page's own unless said. */
  readonly window?: ConnectWindow | undefined;
}

/** A browser did not let the pop-up open. */
export class PopupBlockedError extends Error {
  override readonly name = 'PopupBlockedError';
  readonly code = 'popup_blocked';

  constructor() {
    super(
      'The browser blocked the pop-up: call openConnect within the click, before anything is awaited, or with { mode: "redirect" }.',
    );
  }
}

/** What is needed of a browser's window. */
export interface ConnectWindow {
  readonly screenX: number;
  readonly screenY: number;
  readonly outerWidth: number;
  readonly outerHeight: number;
  readonly document: { hasFocus(): boolean };
  readonly location: { assign(url: string): void };
  open(url: string, target: string, features: string): ConnectPopup | null;
  setTimeout(callback: () => void, ms: number): unknown;
  addEventListener<K extends keyof WindowEvents>(
    type: K,
    listener: (event: WindowEvents[K]) => void,
  ): void;
  removeEventListener<K extends keyof WindowEvents>(
    type: K,
    listener: (event: WindowEvents[K]) => void,
  ): void;
}

/** What is needed of a pop-up, whatever page it shows. */
export interface ConnectPopup {
  readonly closed: boolean;
  readonly location: { replace(url: string): void };
  close(): void;
}

interface WindowEvents {
  readonly message: {
    readonly data: unknown;
    readonly origin: string;
    readonly source: unknown;
  };
  readonly pageshow: { readonly persisted: boolean };
}

const WIDTH = 480;
const HEIGHT = 720;
const LOOK_EVERY_MS = 500;
const POLL_EVERY_MS = 2_000;
/**
 * The pop-up seems closed and the session is open: where your page had the focus at so many polls in a
 * row, the person has come back to it. A pop-up that only the tie was cut to has the focus itself.
 */
const POLLS_WITH_FOCUS = 3;
/** So many failures of `poll` in a row end the wait. */
const MAX_FAILURES = 5;
const SETTLED = ['unconfirmed', 'succeeded', 'expired'] as const;
/** What ends the wait where it is polled: what is unconfirmed is so until the return page is there. */
const SETTLED_ELSEWHERE: readonly string[] = ['succeeded', 'expired'];

/**
 * Opens the connect page, and waits for what comes of it. Call it within the click, so that the
 * browser lets the pop-up open; an address that is still to come from your backend may be a promise:
 * the pop-up opens at once, and goes there when it is known.
 *
 * @param url `connectUrl` of a connect session.
 * @returns With `mode: 'redirect'`, nothing before the person comes back by the Back button.
 * @throws PopupBlockedError; the signal's reason; what `url` is rejected with; the error of `poll`
 * after five in a row; TypeError for an address that is not http or https.
 */
export async function openConnect(
  url: string | Promise<string>,
  options: OpenConnectOptions = {},
): Promise<ConnectResult> {
  const { mode, signal, window = globalThis as unknown as ConnectWindow } = options;
  // Where nothing opens, nobody waits for it.
  Promise.resolve(url).catch(() => undefined);
  signal?.throwIfAborted();
  if (mode === 'redirect') {
    const page = checkedUrl(await url);
    signal?.throwIfAborted();
    return leave(window, page);
  }
  // An address that is known is checked before anything opens.
  if (typeof url === 'string') checkedUrl(url);
  const popup = window.open('about:blank', '_blank', featuresIn(window));
  if (popup === null) throw new PopupBlockedError();
  return new Opened(window, popup, options).settle(url);
}

/**
 * What came of a connect page, from the address that the person came back to after
 * `mode: 'redirect'`; `null` where the address says nothing of one. Anybody can make such an
 * address, so let your backend ask the service.
 */
export function readConnectReturn(url: string): ConnectResult | null {
  const query = new URL(url).searchParams;
  const sessionId = query.get('session_id');
  if (sessionId === null) return null;
  const code = query.get('error');
  return {
    status: settledStatus(query.get('status')) ?? 'closed',
    sessionId,
    connectorId: query.get('connector_id'),
    error: code === null ? null : { code, message: query.get('error_description') ?? code },
  };
}

/** Leaves the page. Where a browser keeps it, and the person goes back to it, nothing was connected. */
function leave(window: ConnectWindow, { href }: URL): Promise<ConnectResult> {
  return new Promise((resolve) => {
    const onShow = ({ persisted }: WindowEvents['pageshow']): void => {
      if (!persisted) return;
      window.removeEventListener('pageshow', onShow);
      resolve({ status: 'closed', sessionId: null, connectorId: null, error: null });
    };
    window.addEventListener('pageshow', onShow);
    window.location.assign(href);
  });
}

/** A pop-up that is open, until what came of it is known. */
class Opened {
  readonly #window: ConnectWindow;
  readonly #popup: ConnectPopup;
  readonly #options: OpenConnectOptions;
  readonly #result = Promise.withResolvers<ConnectResult>();
  /** The page's; `undefined` before it is known. */
  #origin: string | undefined;
  #isOver = false;
  /** The last attempt's, from a page that lets the person try again. */
  #error: ConnectResult['error'] = null;
  #sessionId: string | null = null;

  constructor(window: ConnectWindow, popup: ConnectPopup, options: OpenConnectOptions) {
    this.#window = window;
    this.#popup = popup;
    this.#options = options;
  }

  async settle(url: string | Promise<string>): Promise<ConnectResult> {
    const { signal } = this.#options;
    const onAbort = (): void => this.#result.reject(signal?.reason);
    const onMessage = (event: WindowEvents['message']): void => this.#onMessage(event);
    signal?.addEventListener('abort', onAbort);
    this.#window.addEventListener('message', onMessage);
    try {
      const { href, origin } = checkedUrl(await Promise.race([url, this.#abortion()]));
      this.#origin = origin;
      this.#popup.location.replace(href);
      this.#watch().catch(this.#result.reject);
      return await this.#result.promise;
    } catch (error) {
      this.#popup.close();
      throw error;
    } finally {
      this.#isOver = true;
      this.#window.removeEventListener('message', onMessage);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Rejects when the signal aborts; brings nothing, since nothing is known before the page opens. */
  #abortion(): Promise<never> {
    return this.#result.promise.then(() => new Promise<never>(() => undefined));
  }

  /** Hears the page, and nobody else who may hold a reference to this window. */
  #onMessage({ data, origin, source }: WindowEvents['message']): void {
    if (origin === this.#origin && source === this.#popup) this.#hear(data);
  }

  #hear(data: unknown): void {
    if (!isObject(data) || data['type'] !== 'patchbay:connect') return;
    const { session_id, status, connector_id, error } = data;
    this.#note({
      id: textOrNull(session_id),
      error: isObject(error)
        ? { code: String(error['code']), message: String(error['message']) }
        : null,
    });
    const settled = settledStatus(status);
    if (settled !== null) this.#end(settled, textOrNull(connector_id));
  }

  #note({ id, error }: Pick<PolledSession, 'id' | 'error'>): void {
    this.#sessionId = id ?? this.#sessionId;
    this.#error = error ?? this.#error;
  }

  #end(status: ConnectResult['status'], connectorId: string | null = null): void {
    // What went wrong before it went well is of no interest any more.
    const error = status === 'unconfirmed' || status === 'succeeded' ? null : this.#error;
    this.#result.resolve({ status, sessionId: this.#sessionId, connectorId, error });
  }

  async #watch(): Promise<void> {
    while (!this.#popup.closed) {
      await this.#wait(LOOK_EVERY_MS);
      if (this.#isOver) return;
    }
    // What the page said before it closed may still be on its way.
    await this.#wait(LOOK_EVERY_MS);
    const { poll } = this.#options;
    this.#end(poll === undefined ? 'closed' : await this.#poll(poll));
  }

  /** How the session is, once it is settled or the person is back on the page for good. */
  async #poll(poll: () => Promise<PolledSession>): Promise<ConnectResult['status']> {
    let status: ConnectResult['status'] = 'closed';
    let failures = 0;
    let withFocus = 0;
    while (!this.#isOver && withFocus < POLLS_WITH_FOCUS) {
      try {
        const session = await poll();
        this.#note(session);
        status = settledStatus(session.status) ?? 'closed';
        if (SETTLED_ELSEWHERE.includes(status)) return status;
        failures = 0;
      } catch (error) {
        // A moment without a connection is no end; a backend that keeps failing is.
        if (++failures === MAX_FAILURES) throw error;
      }
      withFocus = this.#window.document.hasFocus() ? withFocus + 1 : 0;
      await this.#wait(POLL_EVERY_MS);
    }
    return status;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#window.setTimeout(resolve, ms);
    });
  }
}

/** In the middle of the window that it is opened from, on whichever screen that is. */
function featuresIn({ screenX, screenY, outerWidth, outerHeight }: ConnectWindow): string {
  const left = Math.round(screenX + (outerWidth - WIDTH) / 2);
  const top = Math.round(screenY + (outerHeight - HEIGHT) / 2);
  return `popup,width=${WIDTH},height=${HEIGHT},left=${left},top=${Math.max(top, screenY)}`;
}

/** A `javascript:` address would run with the rights of the page that opens it. */
function checkedUrl(text: string): URL {
  const url = new URL(text);
  if (url.protocol === 'https:' || url.protocol === 'http:') return url;
  throw new TypeError(`A connect page is at http or https, not at ${url.protocol}`);
}

function settledStatus(status: unknown): (typeof SETTLED)[number] | null {
  return SETTLED.find((each) => each === status) ?? null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
