import type { ConnectorError } from '@patchbay/connectors/definitions';

/** One request to the service, complete but for its token. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base URL, query included. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | undefined;
}

/** A request that did not bring what was asked for. */
export interface Failure {
  readonly isFailure: true;
  readonly error: ConnectorError;
  /** Whether another attempt may do better: after a while, or after a stated time. */
  readonly again: 'never' | 'backoff' | 'after';
  /** The service surely did not take the request up: even a write may be repeated. */
  readonly isRefused: boolean;
  /** Nobody can say whether the service did what was asked. */
  readonly isOutcomeUnknown: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** What came of one attempt. */
export type Attempt<T> = { readonly isFailure: false; readonly value: T } | Failure;

/** What attempts need to know of the service. */
export interface Place {
  readonly fetch: typeof fetch;
  readonly baseUrl: string;
  readonly now: () => number;
}
