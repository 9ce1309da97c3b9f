import {
  findEntity,
  matches,
  planRead,
  type ConnectorEngine,
  type EntityRead,
} from '@patchbay/connectors/engine';

type Values = Readonly<Record<string, unknown>>;

interface Row {
  readonly values: Values;
  /** Number of the sync that brought its present values. */
  readonly changedBy: number;
}

/** What one sync of an entity did. */
export interface Synced {
  readonly mode: EntityRead['mode'];
  readonly pages: number;
  /** Keys in the order they came, repeats included. */
  readonly seen: readonly string[];
  readonly deleted: readonly string[];
  readonly refused: number;
}

/** Copies of entities in memory, kept as the service's worker keeps them, one list after another. */
export class HandMadeCopy {
  readonly #engine: ConnectorEngine;
  readonly #config: Values;
  readonly #now: () => number;
  readonly #rows = new Map<string, Map<string, Row>>();
  readonly #asOf = new Map<string, Date>();
  readonly #lastFullAt = new Map<string, Date>();
  /** Number of the last sync of an entity. */
  readonly #syncs = new Map<string, number>();
  #count = 0;

  constructor(engine: ConnectorEngine, now: () => number, config: Values = {}) {
    this.#engine = engine;
    this.#config = config;
    this.#now = now;
  }

  /** Records by key. */
  rows(entity: string): ReadonlyMap<string, Values> {
    const rows = [...(this.#rows.get(entity) ?? [])];
    return new Map(rows.map(([key, { values }]) => [key, values]));
  }

  plan(entity: string): EntityRead {
    return planRead(this.#engine, {
      entity: findEntity(this.#engine.kind, entity),
      replicationConfig: this.#config,
      startedAt: new Date(this.#now()),
      asOf: this.#asOf.get(entity) ?? null,
      lastFullAt: this.#lastFullAt.get(entity) ?? null,
    });
  }

  async sync(entity: string): Promise<Synced> {
    const startedAt = new Date(this.#now());
    const number = ++this.#count;
    const read = this.plan(entity);
    const rows = this.#rows.get(entity) ?? new Map<string, Row>();
    this.#rows.set(entity, rows);
    const seen: string[] = [];
    const deleted: string[] = [];
    let pages = 0;
    let refused = 0;
    for (const parent of this.#parentsOf(entity, read)) {
      let position: unknown = null;
      do {
        // What is stored between two pages is JSON.
        const page = await read.readPage({
          parent,
          position: JSON.parse(JSON.stringify(position)) as unknown,
        });
        for (const { key, values } of page.records) this.#put(rows, key, values);
        for (const key of page.deletedKeys ?? []) rows.delete(key);
        seen.push(...page.records.map(({ key }) => key));
        deleted.push(...(page.deletedKeys ?? []));
        if (page.isRefused === true) refused += 1;
        pages += 1;
        position = page.next;
      } while (position !== null);
    }
    if (read.mode === 'full') {
      for (const key of rows.keys()) if (!seen.includes(key)) rows.delete(key);
      this.#lastFullAt.set(entity, startedAt);
    }
    this.#asOf.set(entity, startedAt);
    this.#syncs.set(entity, number);
    return { mode: read.mode, pages, seen, deleted, refused };
  }

  #parentsOf(entity: string, { parents }: EntityRead): readonly (Values | undefined)[] {
    if (parents === undefined) return [undefined];
    const since = this.#syncs.get(entity) ?? 0;
    return [...(this.#rows.get(parents.entity)?.values() ?? [])]
      .filter(({ values, changedBy }) => {
        const isChanged = !parents.isChangedOnly || changedBy > since;
        const { filter, orFilter } = parents;
        return (
          (isChanged && matches(filter, values)) ||
          (orFilter !== undefined && matches(orFilter, values))
        );
      })
      .map(({ values }) =>
        Object.fromEntries(parents.fields.map((field) => [field, values[field]])),
      );
  }

  #put(rows: Map<string, Row>, key: string, values: Values): void {
    const isSame = JSON.stringify(rows.get(key)?.values) === JSON.stringify(values);
    if (!isSame) rows.set(key, { values, changedBy: this.#count });
  }
}
