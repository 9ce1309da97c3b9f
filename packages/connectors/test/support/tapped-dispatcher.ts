import { Agent, type Dispatcher } from 'undici';

/** A request and its answer, as they went over the wire. */
export interface Exchange {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  status: number;
  answer: string;
}

/** A connection pool, and what went through it. */
export interface TappedDispatcher extends AsyncDisposable {
  readonly dispatcher: Dispatcher;
  readonly exchanges: Exchange[];
}

/** Opens a pool that writes down every exchange. */
export function tappedDispatcher(): TappedDispatcher {
  const exchanges: Exchange[] = [];
  const agent = new Agent();
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    const exchange: Exchange = {
      method: options.method,
      path: options.path,
      headers: { ...(options.headers as Record<string, string>) },
      body: typeof options.body === 'string' ? options.body : undefined,
      status: 0,
      answer: '',
    };
    exchanges.push(exchange);
    return dispatch(options, listenIn(handler, exchange));
  });
  return {
    dispatcher,
    exchanges,
    [Symbol.asyncDispose]: () => agent.close(),
  };
}

function listenIn(
  handler: Dispatcher.DispatchHandler,
  exchange: Exchange,
): Dispatcher.DispatchHandler {
  const decoder = new TextDecoder();
  return {
    onRequestStart: (...args) => handler.onRequestStart?.(...args),
    onResponseStart: (controller, status, headers, message) => {
      exchange.status = status;
      handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData: (controller, chunk) => {
      exchange.answer += decoder.decode(chunk, { stream: true });
      handler.onResponseData?.(controller, chunk);
    },
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  };
}
