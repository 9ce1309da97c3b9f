import type { CopyId } from '../contract/copies.ts';
import type { TalliedPath } from './path-tally.ts';

/** A copy, and which one of its connector it is: after another account's it begins anew. */
interface NumberedCopy extends CopyId {
  readonly copyNumber: number;
}

/** Copies whose paths are remembered. */
const MAX_COPIES = 50;

/** What is known of the paths of a copy that the full read of this number has seen. */
export interface KnownPaths {
  readonly generation: number;
  /** Types by path, as they surely are in the database. */
  readonly stored: Map<string, number>;
  /** There is no room for others than these, which earlier reads may have seen. */
  only: ReadonlySet<string> | undefined;
  /** Counted, and not stored yet. */
  readonly waiting: Map<string, TalliedPath>;
  waitingRecords: number;
}

/**
 * Remembers which paths are surely stored, so that a page that brings nothing new writes nothing. Counts
 * wait here for a while; those that wait in a process that crashes are lost: they are approximate.
 */
export class PathMemory {
  /** The copy used last comes last. */
  readonly #copies = new Map<string, KnownPaths>();

  of({ connectorId, entity, copyNumber }: NumberedCopy, generation: number): KnownPaths {
    const id = `${connectorId.toLowerCase()} ${entity} ${copyNumber}`;
    const found = this.#copies.get(id);
    const known =
      found?.generation === generation
        ? found
        : {
            generation,
            stored: new Map(),
            only: undefined,
            waiting: new Map(),
            waitingRecords: 0,
          };
    this.#copies.delete(id);
    this.#copies.set(id, known);
    const [oldest] = this.#copies.keys();
    if (this.#copies.size > MAX_COPIES && oldest !== undefined) this.#copies.delete(oldest);
    return known;
  }
}
