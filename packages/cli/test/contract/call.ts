import type { ErrorCode, KindName } from '@patchbay/connectors';
import type { Fault } from '@patchbay/sandbox';

export type Json = Readonly<Record<string, unknown>>;

/** The ways to make a call. The first is the wire contract itself, which the others are held to. */
export const SURFACES = ['http', 'library', 'client', 'cli', 'mcp'] as const;

export type SurfaceName = (typeof SURFACES)[number];

/** The kinds, by the names of the products. */
const KIND_OF = {
  slack: 'chat-workspace',
  chat: 'support-chat',
  intercom: 'customer-messaging',
  support: 'support-ticketing',
} as const satisfies Readonly<Record<string, KindName>>;

export type Product = keyof typeof KIND_OF;

/** What earlier calls brought, by the names under which they learned it. */
export type Known = Json;

/**
 * Which connector of the product is called:
 * - `own`: the usual one; of Slack, which can be written to, each surface has one of its own;
 * - `copied`: the one whose records the service has copied;
 * - `rejected`: one whose credentials the upstream refuses, each surface's own;
 * - `paused`: one that replicates no more;
 * - `foreign`: another external user's;
 * - `absent`: none at all.
 */
export type Target = 'own' | 'copied' | 'rejected' | 'paused' | 'foreign' | 'absent';

/** One call of the contract, the same for every surface. */
export interface CallRow {
  readonly name: string;
  readonly of: Product;
  /** `<entity>.<action>`, or `sync`, which asks for a sync. */
  readonly operation: string;
  /** Absent, whatever a caller may give, or made of what earlier calls brought. */
  readonly params?: unknown;
  readonly selectFields?: readonly string[];
  readonly excludeFields?: readonly string[];
  readonly idempotencyKey?: string;
  /** `write` unless said. */
  readonly access?: 'read';
  /** `own` unless said. */
  readonly target?: Target;
  /** The row before it in a walk: surfaces that say how to go on are taken at their word. */
  readonly after?: string;
  /** What the upstream does wrong meanwhile; `gone`: nothing answers at its address. */
  readonly trouble?: Fault | Fault[] | 'gone';
  /** `ok` unless said. */
  readonly expect?: ErrorCode;
  /** The fields that the error's faults are about. */
  readonly faults?: readonly string[];
  /** What later rows need of the value, by its dotted path. */
  readonly learn?: Readonly<Record<string, string>>;
  /** Why a surface has no way to make this call. */
  readonly notBy?: Readonly<Partial<Record<SurfaceName, string>>>;
}

/** A row with everything filled in. */
export interface Call extends CallRow {
  readonly does: 'execute' | 'sync';
  readonly kind: KindName;
  readonly entity: string;
  readonly action: string;
  readonly target: Target;
}

/** Fills in what a row leaves to earlier calls and to defaults. */
export function callOf(row: CallRow, known: Known): Call {
  const { of, operation, params } = row;
  const [entity = '', action = ''] = operation.split('.');
  return {
    ...row,
    does: operation === 'sync' ? 'sync' : 'execute',
    kind: KIND_OF[of],
    entity,
    action,
    target: row.target ?? 'own',
    // A function among the rows is made of what is known, by the convention of `CallRow`.
    params: typeof params === 'function' ? (params as (known: Known) => unknown)(known) : params,
  };
}

/** What a dotted path leads to; `undefined` where it leads nowhere. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => {
    if (typeof inner !== 'object' || inner === null) return undefined;
    return Object.hasOwn(inner, name) ? Reflect.get(inner, name) : undefined;
  }, value);
}
