export { ConnectorError, ERRORS, isConnectorError } from '@patchbay/connectors/definitions';
export type {
  CheckReport,
  ConnectorKind,
  Download,
  EntityDescription,
  ErrorCode,
  ErrorDetails,
  Fault,
  KindDescription,
  KindName,
  Kinds,
  ListResult,
  RecordOf,
  Retry,
} from '@patchbay/connectors/definitions';
export type { Connectors } from './connectors.ts';
export type {
  ConnectorChange,
  ConnectorCheck,
  ConnectorFilter,
  ConnectorInfo,
  ConnectorPage,
  ListConnectors,
  NewConnector,
} from './connectors.ts';
export type {
  HostedCallOptions,
  HostedCalls,
  HostedExecute,
  PartOf,
  WholeRecordOptions,
} from './hosted-calls.ts';
export type { HostedConnector, UntypedConnector } from './hosted-connector.ts';
export { Patchbay } from './patchbay.ts';
export type { ConnectorOptions, PatchbayOptions } from './patchbay.ts';
export type { UntypedPage, UntypedRecord } from './remote-connector.ts';
export type { RequestOptions } from './service-client.ts';
