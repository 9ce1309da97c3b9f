import type { ConnectorRow } from '@patchbay/store';

/** The connector that something happened to, for figures. */
export type ObservedConnector = Pick<ConnectorRow, 'id' | 'applicationId' | 'kind'>;

/** What is told of whose upstream it was: of credentials that are tried before they are stored, the kind alone. */
export type ObservedUpstream = Pick<ConnectorRow, 'kind'> & Partial<ObservedConnector>;
