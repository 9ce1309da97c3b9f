import type { Fault } from '../fault.ts';
import type { SandboxFault } from '../world/sandbox-process.ts';

/** As packages/sandbox/README.md has them; several meet one call in this order. */
const UPSTREAM_TROUBLE: readonly (readonly [string, string, readonly SandboxFault[]])[] = [
  ['upstream-hangs', 'the upstream takes requests and answers none', [{ kind: 'hang' }]],
  [
    'upstream-hangs-afterwards',
    'the upstream does what it is asked, and says nothing',
    [{ kind: 'hang', afterApplying: true }],
  ],
  [
    'upstream-resets',
    'the upstream cuts connections: before it has done anything, afterwards, in the middle of answers',
    [
      { kind: 'cutConnection', times: 20 },
      { kind: 'cutConnection', times: 20, afterApplying: true },
      { kind: 'truncate' },
    ],
  ],
  [
    'upstream-errors',
    'the upstream answers 429 and 5xx in bursts',
    [
      { kind: 'rateLimit', times: 20 },
      { kind: 'serverError', times: 20 },
      { kind: 'serverError', times: 20, status: 503, body: 'html', afterApplying: true },
      { kind: 'rateLimit' },
    ],
  ],
];

/** What happens to the upstreams. */
export const UPSTREAM_FAULTS: readonly Fault[] = UPSTREAM_TROUBLE.map(([name, doc, faults]) => ({
  name,
  doc,
  databases: ['embedded', 'server'],
  inject: async ({ world }) => {
    const ends: (() => Promise<number>)[] = [];
    for (const fault of faults) ends.push(await world.sandbox.addFault(fault));
    return {
      heal: async () => {
        let hits = 0;
        for (const end of ends) hits += await end();
        return hits;
      },
    };
  },
}));
