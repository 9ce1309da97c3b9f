import { getHeapStatistics } from 'node:v8';
import type { TurnState } from '../admission/admission-observer.ts';
import { FairTurns, type Release, type TurnGroup } from '../admission/fair-turns.ts';

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

/**
 * Turns of large pages: each takes many times its bytes until it is committed, and every connector that is copied, or waits for its
 * upstream, may bring some. Of several turns neither an application nor a connector ever has the last. Whoever has one never
 * waits for a slot before its page is committed: those who have slots may wait for it.
 */
export class LargePages {
  readonly #turns: FairTurns;
  readonly #atOnce: number;

  constructor(atOnce = largePagesAtOnce()) {
    this.#atOnce = atOnce;
    this.#turns = new FairTurns(atOnce);
  }

  /** How many have a turn, and how many wait for one. */
  state(): TurnState {
    return this.#turns.state();
  }

  /** The pages of one walk: at its end, those that are left are released. */
  of({ applicationId, id }: Reader): PagesOfWalk {
    const most = Math.max(1, this.#atOnce - 1);
    return new PagesOfWalk(this.#turns, [
      { name: `application ${applicationId}`, most },
      { name: `connector ${id}`, most },
    ]);
  }
}

export class PagesOfWalk implements Disposable {
  readonly #turns: FairTurns;
  readonly #groups: readonly TurnGroup[];
  readonly #held = new Set<HeldPage>();

  constructor(turns: FairTurns, groups: readonly TurnGroup[]) {
    this.#turns = turns;
    this.#groups = groups;
  }

  begin(): HeldPage {
    const page = new HeldPage(
      () => new PageTurn(this.#turns, this.#groups),
      () => this.#held.delete(page),
    );
    this.#held.add(page);
    return page;
  }

  [Symbol.dispose](): void {
    for (const page of this.#held) page.release();
  }
}

/** A page that is read, and kept until it is committed. */
export class HeldPage {
  readonly #askForTurn: () => PageTurn;
  readonly #onRelease: () => void;
  #sizeBytes = 0;
  #turn: PageTurn | undefined;

  constructor(askForTurn: () => PageTurn, onRelease: () => void) {
    this.#askForTurn = askForTurn;
    this.#onRelease = onRelease;
  }

  /** Of what has come of it so far. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** It has a turn, or waits for one. */
  get isLarge(): boolean {
    return this.#turn !== undefined;
  }

  /** Told of the bytes of each piece; of a large one no more is taken in while what it returns is pending. */
  readonly take = (bytes: number): Promise<void> | undefined => {
    this.#sizeBytes += bytes;
    if (this.#sizeBytes > LARGE_PAGE_BYTES) this.#turn ??= this.#askForTurn();
    return this.#turn?.begun;
  };

  /** It is asked for, or is to be asked for again: what has come of it is gone. */
  restart(): void {
    this.#turn?.end();
    this.#turn = undefined;
    this.#sizeBytes = 0;
  }

  /** Once it is committed, or never will be. */
  release(): void {
    this.restart();
    this.#onRelease();
  }
}

/** A turn from when it is asked for. */
class PageTurn {
  /** Pending until it has begun; whoever ends it before waits no longer. */
  begun: Promise<void> | undefined;
  #end: Release;
  #isOver = false;

  constructor(turns: FairTurns, groups: readonly TurnGroup[]) {
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

  end(): void {
    this.#isOver = true;
    this.#end();
  }

  #begin(release: Release): void {
    this.begun = undefined;
    // It may have been given just before it was given up.
    if (this.#isOver) release();
    else this.#end = release;
  }
}
