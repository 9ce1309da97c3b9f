import type { DoorSigns } from './door-signs.ts';

/** Looks at the thread's signs so often. A process that was suspended does not count the time. */
const LOOK_EVERY_MS = 1_000;

/** So many looks in which an idle thread's event loop did not go round: it hangs. */
const IDLE_LOOKS = 10;

/** So many looks at one and the same turn: for calls, searches and replication they take a fraction of a second. */
const TURN_LOOKS = 60;

/**
 * The same of the thread's own upkeep. To clear a large table of dead rows takes some 5 s for 200,000 records, and a
 * process that is ended over it would begin with it again, for ever.
 */
const UPKEEP_LOOKS = 15 * 60;

/** Notices when the thread of the embedded database has got stuck, which itself cannot say so. */
export class Watchdog {
  readonly #signs: Pick<DoorSigns, 'beats' | 'turn' | 'isUpkeep'>;
  readonly #onStuck: (reason: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #beats = -1;
  #turn: number | undefined;
  /** Looks that found no progress. */
  #looks = 0;

  /** @param onStuck Is told once what was seen. */
  constructor(
    signs: Pick<DoorSigns, 'beats' | 'turn' | 'isUpkeep'>,
    onStuck: (reason: string) => void,
  ) {
    this.#signs = signs;
    this.#onStuck = onStuck;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const { beats, turn, isUpkeep } = this.#signs;
    const isSame = turn === this.#turn && (turn !== undefined || beats === this.#beats);
    this.#looks = isSame ? this.#looks + 1 : 0;
    this.#beats = beats;
    this.#turn = turn;
    const ofTurn = isUpkeep ? UPKEEP_LOOKS : TURN_LOOKS;
    if (this.#looks < (turn === undefined ? IDLE_LOOKS : ofTurn)) return;
    this.stop();
    const seconds = (this.#looks * LOOK_EVERY_MS) / 1_000;
    this.#onStuck(
      turn === undefined
        ? `it has not answered for ${seconds} s`
        : `it has been busy with one statement for ${seconds} s`,
    );
  }
}
