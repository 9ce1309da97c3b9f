import type { CallTimes } from '@patchbay/connectors/engine';
import type { Access } from '../access/access.ts';
import type { OnDisconnect } from './active-calls.ts';
import type { CallDeadline } from './call-deadline.ts';
import type { AnswerKeeper } from './idempotency.ts';
import type { Executed } from './outcome.ts';
import type { FaultList } from './input.ts';
import type { LiveConnector } from './live-connector.ts';

/** An operation that somebody asks of a connector within reach. */
export interface ExecuteRequest {
  readonly access: Access;
  readonly connector: LiveConnector;
  readonly entity: string;
  readonly action: string;
  readonly params: unknown;
  /** Names of record fields, top-level or dotted; these win over `excludeFields`. */
  readonly selectFields?: readonly unknown[] | undefined;
  readonly excludeFields?: readonly unknown[] | undefined;
  /** For writes, which then happen once for each key. */
  readonly idempotency?:
    { readonly key: string; readonly keeper: AnswerKeeper<Executed> } | undefined;
  /** What is wrong with the call already: told with what is wrong with the operation. */
  readonly faults?: FaultList;
  readonly deadline: CallDeadline;
  /** Adds up where its time goes. */
  readonly times?: CallTimes | undefined;
  /** Told what the call is about, for the log. */
  readonly note: (facts: { readonly entity: string; readonly action: string }) => void;
  readonly onDisconnect: OnDisconnect;
}
