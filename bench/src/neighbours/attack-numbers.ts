/** The sizes of an attack; each attack says how its own differ from `ATTACK_NUMBERS`. */
export interface AttackNumbers {
  /** How many requests are under way at once. */
  readonly clients: number;
  /** How many requests each client makes, one after another. */
  readonly requests: number;
  /** How long a client waits after a refusal. */
  readonly pauseMs: number;
  /** How fast clients read; 0 never reads. */
  readonly bytesPerSecond: number;
  /** When clients go away without waiting for the answer; 0 stays. */
  readonly leaveAfterMs: number;
  /** What requests ask for as their deadline. */
  readonly deadlineMs: number;
  /** Hits or records on a page. */
  readonly limit: number;
  /** Conditions of a filter. */
  readonly conditions: number;
  /** Words in all conditions of a filter together. */
  readonly words: number;
  /** Letters, or digits, of a word. */
  readonly letters: number;
  /** Levels of a filter, or of a body. */
  readonly depth: number;
  /** Of a body, a token, or what a cursor inflates to. */
  readonly bytes: number;
  /** Connectors that are made for the attack. */
  readonly connectors: number;
}

export const ATTACK_NUMBERS: AttackNumbers = {
  clients: 40,
  requests: Infinity,
  pauseMs: 100,
  bytesPerSecond: Infinity,
  leaveAfterMs: 0,
  deadlineMs: 60_000,
  limit: 10_000,
  conditions: 16,
  words: 64,
  letters: 12,
  depth: 18,
  bytes: 1_000_000,
  connectors: 1,
};

/** Numbers given as `name=value`. */
export function parseNumbers(given: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    given.map((text) => {
      const [name = '', value = ''] = text.split('=');
      const isKnown = Object.hasOwn(ATTACK_NUMBERS, name) && value !== '';
      if (!isKnown || !(Number(value) >= 0))
        throw new Error(`${text} is no number of an attack: ${Object.keys(ATTACK_NUMBERS).join()}`);
      return [name, Number(value)];
    }),
  );
}
