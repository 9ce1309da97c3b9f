export { looksReal } from './real-tokens.ts';
export { startSandbox } from './sandbox.ts';
export type { Sandbox, SandboxOptions, SandboxUrls } from './sandbox.ts';
export type {
  ActiveFault,
  Fault,
  FaultControl,
  FaultHandle,
  FaultKind,
  FaultScope,
} from './faults.ts';
export type {
  GrantedTokens,
  GrantRequest,
  OAuthClientInfo,
  OAuthServerInfo,
  OAuthVendor,
  SandboxOAuth,
} from './sandbox-oauth.ts';
export type { GrantReport } from './oauth/grant-book.ts';
export type { DeadUseReport, RenewalReport } from './oauth/renewal-counts.ts';
export type { Account, Person } from './oauth/grant.ts';
export type { RequestLogEntry } from './request-log.ts';
