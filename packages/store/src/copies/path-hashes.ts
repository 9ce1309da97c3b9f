import { nestedLanes, textLanes, type HashLanes } from './hashes.ts';

/** Stands for any element of an array in a path; no segment of a path hashes like it. */
const ELEMENT = textLanes('', 1);

/** Segments that many records have; others are hashed again. */
const MAX_SEGMENTS_KEPT = 4_096;

/**
 * Places in the records of one connector that terms are hashed with. The connector is part of every
 * place, so that a lookup reads no other connector's entries of the index that all of them share.
 */
export class PathHashes {
  readonly root: HashLanes;
  readonly #segments = new Map<string, HashLanes>();

  constructor(connectorId: string) {
    this.root = textLanes(connectorId.toLowerCase());
  }

  /** The place at the end of a path of properties. */
  at(segments: readonly string[]): HashLanes {
    return segments.reduce((place, segment) => this.below(place, segment), this.root);
  }

  below(place: HashLanes, segment: string): HashLanes {
    return nestedLanes(place, this.#lanesOf(segment));
  }

  /** The place that stands for any element of the array at a place. */
  element(place: HashLanes): HashLanes {
    return nestedLanes(place, ELEMENT);
  }

  #lanesOf(segment: string): HashLanes {
    const known = this.#segments.get(segment);
    if (known !== undefined) return known;
    const lanes = textLanes(segment, 2);
    if (this.#segments.size < MAX_SEGMENTS_KEPT) this.#segments.set(segment, lanes);
    return lanes;
  }
}
