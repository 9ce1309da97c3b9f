import type { ErrorCode } from '@patchbay/connectors';
import type { ConsentStopReason } from './consent/consent-stop.ts';

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
  code?: ErrorCode | ConsentStopReason | 'ok' | 'client_disconnected';
  isReplayed?: boolean;
  /** Of a login: whose it was to be, as far as a log may tell. */
  clientId?: string;
  /** Where no token says it: of a session of the console, whose it is and whose token it gave; in whose place the operator's key acts. */
  applicationId?: string;
  isOperator?: true;
}
