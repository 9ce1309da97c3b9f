import type { ConnectorKind } from '@patchbay/connectors';
import type { CheckedCredentials, ConnectorEngine } from '@patchbay/connectors/engine';
import type { ConnectorRow } from '@patchbay/store';

/** A connector that is ready to run. */
export interface LiveConnector {
  readonly row: ConnectorRow;
  readonly kind: ConnectorKind;
  /** Lives as long as credentials and config stay the same, since it keeps the upstream budgets. */
  readonly engine: ConnectorEngine;
  /** Those of the row, opened; a function, so that nothing prints them. */
  readonly credentials: () => CheckedCredentials;
}
