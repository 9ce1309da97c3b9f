import type { ConnectorKind } from '@patchbay/connectors';
import type { CheckedCredentials, ConnectorEngine } from '@patchbay/connectors/engine';
import type { ConnectorRow } from '@patchbay/store';
import { areSameCredentials } from '../vault/connector-credentials.ts';

/** A connector that is ready to run. */
export interface LiveConnector {
  readonly row: ConnectorRow;
  readonly kind: ConnectorKind;
  /** Lives as long as credentials and config stay the same, since it keeps the upstream budgets. */
  readonly engine: ConnectorEngine;
  /** Those of the row, opened; a function, so that nothing prints them. */
  readonly credentials: () => CheckedCredentials;
}

/** Whether a connector has the credentials that it had, neither others nor renewed ones, however they are sealed by now. */
export function hasSameCredentials(before: LiveConnector, now: LiveConnector): boolean {
  return (
    before.row.renewedAt?.getTime() === now.row.renewedAt?.getTime() &&
    areSameCredentials(before.credentials(), now.credentials())
  );
}
