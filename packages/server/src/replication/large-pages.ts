import { getHeapStatistics } from 'node:v8';
import { FairTurns, type Release } from '../admission/fair-turns.ts';

const MIB = 1024 * 1024;

/** Nearly all pages are smaller, and what is read is committed once it has so many bytes together. */
export const LARGE_PAGE_BYTES = 2 * MIB;
/** What is made of a large one on its way into the copy may take so much of what Node.js has for objects. */
export const HEAP_OF_LARGE_PAGE = 256 * MIB;
export const MOST_LARGE_PAGES = 8;

/** So many large pages there are at once in a process, from when they prove to be until they are committed. */
export function largePagesAtOnce(heapBytes = getHeapStatistics().heap_size_limit): number {
  return Math.min(MOST_LARGE_PAGES, Math.max(1, Math.floor(heapBytes / HEAP_OF_LARGE_PAGE)));
}

/** Whose connector pages are read of. */
interface Reader {
  readonly id: string;
  readonly applicationId: string;
}

/** A page that is read, and kept until it is committed. */
export interface HeldPage {
  /** Told of the bytes of each piece; of a large one no more is taken in before its turn, until when what it returns is pending. */
  readonly take: (bytes: number) => Promise<void> | undefined;
  /** So far. */
  readonly sizeBytes: () => number;
  /** Once it is committed, or never will be. */
  readonly release: Release;
}

/**
 * Turns of large pages: each takes many times its bytes until it is committed, and every connector that is copied, or waits for its
 * upstream, may bring some. Of several turns neither an application nor a connector ever has the last.
 */
export class LargePages {
  readonly #turns: FairTurns;
  readonly #atOnce: number;

  constructor(atOnce = largePagesAtOnce()) {
    this.#atOnce = atOnce;
    this.#turns = new FairTurns(atOnce);
  }

  /** The pages of one walk: at its end, those that are left are released. */
  of(reader: Reader): PagesOfWalk {
    const most = Math.max(1, this.#atOnce - 1);
    return new PagesOfWalk(this.#turns, [
      { name: `application ${reader.applicationId}`, most },
      { name: `connector ${reader.id}`, most },
    ]);
  }
}

type Groups = Parameters<FairTurns['wait']>[0];

export class PagesOfWalk implements Disposable {
  readonly #turns: FairTurns;
  readonly #groups: Groups;
  readonly #held = new Set<Release>();

  constructor(turns: FairTurns, groups: Groups) {
    this.#turns = turns;
    this.#groups = groups;
  }

  begin(): HeldPage {
    let size = 0;
    let turn: Turn | undefined;
    const release = () => {
      turn?.end();
      this.#held.delete(release);
    };
    this.#held.add(release);
    return {
      take: (bytes) => {
        size += bytes;
        if (size > LARGE_PAGE_BYTES) turn ??= new Turn(this.#turns, this.#groups);
        return turn?.begun;
      },
      sizeBytes: () => size,
      release,
    };
  }

  [Symbol.dispose](): void {
    for (const release of this.#held) release();
  }
}

/** A turn from when it is asked for. */
class Turn {
  /** Pending until it has begun; whoever ends it before waits no longer. */
  begun: Promise<void> | undefined;
  #end: Release;

  constructor(turns: FairTurns, groups: Groups) {
    const release = turns.tryTake(groups);
    if (release !== undefined) {
      this.#end = release;
      return;
    }
    const { turn, leave } = turns.wait(groups);
    this.#end = () => leave(new Error('the page is given up'));
    this.begun = turn.then(
      (taken) => this.#begin(taken),
      // Nobody waits for it any more.
      () => undefined,
    );
  }

  #begin(release: Release): void {
    this.#end = release;
    this.begun = undefined;
  }

  end(): void {
    this.#end();
  }
}
