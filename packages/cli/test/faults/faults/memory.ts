import type { Fault } from '../fault.ts';
import { repeat } from '../pause.ts';

const CALLERS = 4;

/** Little memory. */
export const MEMORY_FAULTS: readonly Fault[] = [
  {
    name: 'little-memory',
    doc: 'a heap of 512 MB while large pages and searches are asked for',
    databases: ['embedded', 'server'],
    world: { scale: 3_000, nodeFlags: ['--max-old-space-size=512'] },
    inject: ({ load }) => {
      let calls = 0;
      const calling = Array.from({ length: CALLERS }, () =>
        repeat(0, async () => {
          calls += 1;
          await load.callHeavily();
        }),
      );
      return Promise.resolve({
        heal: async () => {
          await Promise.all(calling.map((each) => each.stop()));
          return calls;
        },
      });
    },
  },
];
