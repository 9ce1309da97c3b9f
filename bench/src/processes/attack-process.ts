import { setPriority } from 'node:os';
import { request as sendRequest } from 'undici';
import { bodyOf, headersOf, runClients, type Tally } from '../neighbours/attack-clients.ts';
import { ATTACK_NUMBERS } from '../neighbours/attack-numbers.ts';
import { ATTACKS, type Ask, type Attack, type Attacker } from '../neighbours/attacks.ts';
import { serve } from './serve.ts';

/** The order for a process that attacks until it is ended. */
export interface AttackOrder {
  readonly url: string;
  readonly name: string;
  readonly numbers: Readonly<Record<string, number>>;
  readonly attacker: Attacker;
}

// Attackers use machines of their own: what theirs takes of this one is not to count as harm.
const LOW_PRIORITY = 10;
const PREPARED_WITHIN_MS = 30_000;

setPriority(LOW_PRIORITY);
// The parent process gives it as `AttackOrder` has it.
const { url, name, attacker, ...order } = JSON.parse(
  process.env['BENCH_ATTACK'] ?? '',
) as AttackOrder;
const attack = ATTACKS.find((each) => each.name === name);
if (attack === undefined) throw new Error(`there is no attack ${name}`);
const numbers = { ...ATTACK_NUMBERS, ...attack.numbers, ...order.numbers };
const tokens = attack.access === 'read' ? attacker.readTokens : [attacker.writeToken];
const ending = new AbortController();
const tally: Tally = {};
const running = await begin(attack);
serve(
  {},
  () => {
    ending.abort();
    return running.over;
  },
  () => ({ tally: JSON.stringify(tally) }),
);

/** Where the service cannot do any more what the attack needs, `tally` says so. */
async function begin(given: Attack): Promise<{ readonly over: Promise<void> }> {
  try {
    const prepared = (await given.prepare?.(ask(attacker.writeToken), numbers)) ?? [];
    return { over: run(given, prepared) };
  } catch (error) {
    console.error(error);
    tally['not prepared'] = 1;
    return { over: Promise.resolve() };
  }
}

function run({ request }: Attack, prepared: readonly string[]): Promise<void> {
  let nth = 0;
  return runClients({
    url,
    numbers,
    signal: ending.signal,
    next: () => {
      const token = tokens[nth % tokens.length] ?? '';
      return { token, ...request({ ...attacker, numbers, prepared, nth: nth++ }) };
    },
    tally,
  });
}

function ask(writeToken: string): Ask {
  return async (request) => {
    const given = { token: writeToken, ...request };
    const { statusCode, body } = await sendRequest(url + request.path, {
      method: request.method,
      headers: headersOf(given),
      body: bodyOf(given) ?? null,
      signal: AbortSignal.timeout(PREPARED_WITHIN_MS),
    });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`${request.path}: HTTP ${statusCode}: ${text}`);
    return JSON.parse(text) as unknown;
  };
}
