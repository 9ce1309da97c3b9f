import type { ConnectorKind, Entity } from '@patchbay/connectors';
import {
  ConnectorEngine,
  checkConfig,
  checkCredentials,
  isWrite,
  type Action,
  type EngineOptions,
} from '@patchbay/connectors/engine';
import type { KindUnderTest } from './kinds-under-test.ts';

export type Json = Readonly<Record<string, unknown>>;

/** An action of an entity. */
export interface Operation<A extends Action = Action> {
  /** `entity.action`. */
  readonly name: string;
  readonly entity: Entity;
  readonly action: A;
}

export type ListOperation = Operation<Extract<Action, { verb: 'list' }>>;

/** Every operation of a kind, in the order of the definition. */
export function operationsOf(kind: ConnectorKind): readonly Operation[] {
  return Object.values(kind.entities).flatMap((entity) =>
    Object.values(entity.actions).map((action) => ({
      name: `${entity.name}.${action.verb}`,
      entity,
      action,
    })),
  );
}

/** Those that answer with records; downloads answer with bytes. */
export function recordOperationsOf(kind: ConnectorKind): readonly Operation[] {
  return operationsOf(kind).filter(({ action }) => action.verb !== 'download');
}

export function listsOf(kind: ConnectorKind): readonly ListOperation[] {
  return operationsOf(kind).filter(isList);
}

export function isList(operation: Operation): operation is ListOperation {
  return operation.action.verb === 'list';
}

export function isWriteOperation({ action }: Operation): boolean {
  return isWrite(action);
}

/** Names of the params that an action cannot do without. */
export function requiredParamsOf(action: Action): readonly string[] {
  return Object.entries(action.params)
    .filter(([, { isRequired }]) => isRequired)
    .map(([name]) => name);
}

/** Credentials of one auth method, each field derived from its name; an email looks like one. */
export function credentialsOf(
  kind: ConnectorKind,
  method: string,
  secret = 'opens-the-sandbox',
): Readonly<Record<string, string>> {
  const fields = Object.entries(kind.auth[method]?.fields ?? {});
  return Object.fromEntries(
    fields
      .filter(([, { isRequired }]) => isRequired)
      .map(([name]) => [name, name === 'email' ? 'agent@example.com' : `${secret}-${name}`]),
  );
}

/** Auth methods whose access token is among what a person gives; those of the others are issued. */
export function givenMethodsOf(kind: ConnectorKind): readonly string[] {
  return Object.keys(kind.auth).filter(
    (name) => kind.auth[name]?.grants?.includes('client_credentials') !== true,
  );
}

/** An engine for a kind that draws no jitter and keeps no budget. */
export function engineFor(
  { kind, row }: KindUnderTest,
  baseUrl: string,
  options: Partial<EngineOptions> & { readonly given?: Readonly<Record<string, string>> } = {},
): ConnectorEngine {
  const { given, ...rest } = options;
  const [method = ''] = Object.keys(kind.auth);
  const credentials = checkCredentials(kind, given ?? credentialsOf(kind, method));
  return new ConnectorEngine({
    kind,
    authorize: () => credentials,
    config: checkConfig(kind, row.config),
    baseUrl,
    upstreamLimits: 'reactive',
    random: () => 0,
    ...rest,
  });
}

/** What an operation returns, whatever it is. */
export async function run(
  engine: ConnectorEngine,
  { entity, action }: Operation,
  params: Json = {},
  options: Parameters<ConnectorEngine['execute']>[3] = {},
): Promise<Json> {
  // Proven: pages and records are objects, and downloads are left out of this suite.
  return (await engine.execute(entity.name, action.verb, params, options)) as unknown as Json;
}

/** The records of an outcome: those of a page, or the one. */
export function recordsOf({ action }: Operation, outcome: Json): readonly Json[] {
  // Proven: `data` of a page is an array of records.
  return action.verb === 'list' ? (outcome['data'] as readonly Json[]) : [outcome];
}

/** What tells a record from the others of its list. */
export function keyOf({ key }: Entity, record: Json): string {
  const fields = key.filter((name) => !name.startsWith('params.'));
  return JSON.stringify(fields.length === 0 ? record : fields.map((name) => record[name]));
}
