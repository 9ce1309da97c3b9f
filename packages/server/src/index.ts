export { createApplication } from './access/create-application.ts';
export type { ApplicationCredentials } from './access/create-application.ts';
export {
  loadOperatorKey,
  operatorKeyPath,
  type OperatorKeySource,
} from './access/load-operator-key.ts';
export { readConfiguration } from './configuration/configuration.ts';
export type { Configuration, LogLevel } from './configuration/configuration.ts';
export { CALLBACK_PATH as CONSENT_CALLBACK_PATH } from './consent/consents.ts';
export type { ConsentSettings } from './consent/consents.ts';
export type { ConsentApp, OperatorApps } from './consent/oauth-apps.ts';
export type { HttpLimits } from './http/http-server.ts';
export type { LogOptions } from './log.ts';
export { loadMetricsToken, type MetricsTokenSource } from './metrics/metrics-token.ts';
export { checkMasterKey } from './vault/check-master-key.ts';
export {
  loadMasterKeys,
  type MasterKeySource,
  type MasterKeySources,
} from './vault/load-master-keys.ts';
export type { TrialSettings, UpstreamSetting, UpstreamSettings } from './operations/upstreams.ts';
export { ServiceError } from './service-error.ts';
export type { ServiceErrorCode } from './service-error.ts';
export { startService } from './service/start-service.ts';
export type {
  FirstApplication,
  ScopedTokenRequest,
  Service,
  ServiceOptions,
  ServiceRole,
} from './service/contract.ts';
export type { ReplicationSettings } from './replication/settings.ts';
export { parseMasterKey, type MasterKey } from './vault/master-key.ts';
