import { setPriority } from 'node:os';
import { request as sendRequest } from 'undici';
import { bodyOf, headersOf, runClients, type Tally } from './attack-clients.ts';
import { ATTACK_NUMBERS } from './attack-numbers.ts';
import { ATTACKS, type Attacker, type Ask } from './attacks.ts';
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
const prepared = (await attack.prepare?.(ask(attacker.writeToken), numbers)) ?? [];
const ending = new AbortController();
const tally: Tally = {};
let nth = 0;
const ended = runClients({
  url,
  numbers,
  signal: ending.signal,
  next: () => {
    const request = attack.request({ ...attacker, numbers, prepared, nth });
    return { token: tokens[nth++ % tokens.length] ?? '', ...request };
  },
  tally,
});
serve(
  {},
  () => {
    ending.abort();
    return ended;
  },
  () => ({ tally: JSON.stringify(tally) }),
);

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
