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
export type { RequestLogEntry } from './request-log.ts';
