import type { ErrorCode } from '@patchbay/connectors';
import type { StopReason } from './consent/consent-stop.ts';

/** What is logged of a call, filled in as it becomes known; never contents. */
export interface CallLog {
  connectorId?: string;
  /** Of the connector. */
  kind?: string;
  entity?: string;
  action?: string;
  /** The tool that a model called. */
  tool?: string;
  /** The code of the answer: `ok`, or an error code. */
  code?: ErrorCode | StopReason | 'ok' | 'client_disconnected';
  isReplayed?: boolean;
  /** Of a login: whose it was to be, as far as a log may tell. */
  clientId?: string;
  /** Of a session of the console, instead of a token: whose it is, and whose token it gave. */
  applicationId?: string;
  isOperator?: true;
}
