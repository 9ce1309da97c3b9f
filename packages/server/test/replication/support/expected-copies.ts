import assert from 'node:assert/strict';
import type { ConnectorKind, Entity } from '@patchbay/connectors';
import {
  checkCredentials,
  checkReplicationConfig,
  ConnectorEngine,
  matches,
  planRead,
  searchSchemaOf,
  type EntityRead,
} from '@patchbay/connectors/engine';
import type { CopyRecord, Store } from '@patchbay/store';

type Values = Readonly<Record<string, unknown>>;

/** What a copy holds: values by record key. */
export type CopyContents = ReadonlyMap<string, Values>;

export interface UpstreamAccount {
  readonly kind: ConnectorKind;
  readonly baseUrl: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly replicationConfig?: unknown;
}

const EVERYTHING = { operator: 'and', filters: [] } as const;

/** The entities of a kind that are copied, parents first. */
export function copiedEntitiesOf(kind: ConnectorKind): readonly Entity[] {
  return Object.values(kind.entities).filter(({ search }) => search !== undefined);
}

/** What the copies of an account have to hold: all of it, read straight from the upstream. */
export async function readUpstream(
  account: UpstreamAccount,
): Promise<ReadonlyMap<string, CopyContents>> {
  const { kind, baseUrl } = account;
  const credentials = checkCredentials(kind, account.credentials);
  const engine = new ConnectorEngine({
    kind,
    authorize: () => credentials,
    baseUrl,
    config: {},
    upstreamLimits: 'reactive',
  });
  const replicationConfig = checkReplicationConfig(kind, account.replicationConfig) ?? {};
  const startedAt = new Date();
  const contents = new Map<string, Map<string, Values>>();
  for (const entity of copiedEntitiesOf(kind)) {
    const request = { entity, replicationConfig, startedAt, asOf: null, lastFullAt: null };
    const read = planRead(engine, request);
    const records = new Map<string, Values>();
    contents.set(entity.name, records);
    for (const parent of parentsIn(contents, read)) await readList(read, parent, records);
  }
  return contents;
}

function parentsIn(
  contents: ReadonlyMap<string, CopyContents>,
  { parents }: EntityRead,
): readonly (Values | undefined)[] {
  if (parents === undefined) return [undefined];
  const all = [...(contents.get(parents.entity)?.values() ?? [])];
  return all.filter((values) => matches(parents.filter, values));
}

async function readList(
  read: EntityRead,
  parent: Values | undefined,
  records: Map<string, Values>,
): Promise<void> {
  for (let position: unknown = null; ;) {
    const page = await read.readPage({ parent, position });
    for (const { key, values } of page.records) records.set(key, withoutNullId(values));
    for (const key of page.deletedKeys ?? []) records.delete(key);
    if (page.next === null) return;
    position = page.next;
  }
}

/** Nobody is given an id that has no value of its searchable type. */
function withoutNullId(values: Values): Values {
  const { id, ...others } = values;
  return id === null ? others : values;
}

/** All that the copy of an entity holds. */
export async function readCopy(
  store: Pick<Store, 'copies'>,
  connectorId: string,
  kind: ConnectorKind,
  entity: Entity,
): Promise<CopyContents> {
  const fields = searchSchemaOf(entity)?.fields.map(({ name }) => name) ?? [];
  const copy = { connectorId, kind: kind.kind, entity: entity.name };
  const contents = new Map<string, Values>();
  for (let after: string | undefined; ;) {
    const page: readonly CopyRecord[] = await store.copies.parents(copy, {
      filter: EVERYTHING,
      fields,
      limit: 500,
      ...(after === undefined ? {} : { after }),
    });
    for (const { key, values } of page) contents.set(key, values);
    after = page.at(-1)?.key;
    if (after === undefined) return contents;
  }
}

/** Asserts that every copy of a connector holds exactly what is expected: same keys, same values. */
export async function assertCopies(
  store: Pick<Store, 'copies'>,
  connectorId: string,
  kind: ConnectorKind,
  expected: ReadonlyMap<string, CopyContents>,
): Promise<void> {
  for (const entity of copiedEntitiesOf(kind)) {
    const actual = await readCopy(store, connectorId, kind, entity);
    assertSameContents(actual, expected.get(entity.name) ?? new Map(), entity.name);
  }
}

export function assertSameContents(
  actual: CopyContents,
  expected: CopyContents,
  what: string,
): void {
  const missing = [...expected.keys()].filter((key) => !actual.has(key));
  const extra = [...actual.keys()].filter((key) => !expected.has(key));
  assert.deepEqual({ missing, extra }, { missing: [], extra: [] }, `keys of ${what}`);
  for (const [key, values] of expected) assert.deepEqual(actual.get(key), values, `${what} ${key}`);
}
