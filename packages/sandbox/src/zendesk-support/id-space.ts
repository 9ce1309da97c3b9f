import { hash32 } from '../seeded-random.ts';

/** Where the ids of one kind of record begin and how far apart they are. */
export interface IdSpaceOptions {
  readonly seed: number;
  readonly salt: number;
  readonly first: number;
  readonly stride: number;
}

/**
 * Ids that grow with the position, with uneven gaps, and from which the position is computed
 * without a table. Sorting by id is therefore sorting by position.
 */
export class IdSpace {
  readonly #options: IdSpaceOptions;

  constructor(options: IdSpaceOptions) {
    this.#options = options;
  }

  idAt(position: number): number {
    const { seed, salt, first, stride } = this.#options;
    return first + position * stride + (hash32(seed, position, salt) % stride);
  }

  /** The position of an id, perhaps beyond the last record; undefined for an impossible id. */
  positionOf(id: number): number | undefined {
    const { first, stride } = this.#options;
    const position = Math.floor((id - first) / stride);
    return position >= 0 && this.idAt(position) === id ? position : undefined;
  }
}
