import type { Fault } from '../fault.ts';

const HOUR_MS = 3_600_000;

/** The clock of the service is set; that of a PostgreSQL server is another one, and goes on. */
export const CLOCK_FAULTS: readonly Fault[] = (
  [
    ['clock-forward', 'the clock is set an hour ahead', HOUR_MS],
    ['clock-back', 'the clock is set an hour back', -HOUR_MS],
  ] as const
).map(([name, doc, aheadMs]) => ({
  name,
  doc,
  databases: ['embedded', 'server'],
  world: { preload: 'clock.ts' },
  allows: { clock: true },
  inject: async ({ world }) => {
    await world.setClock(aheadMs);
    return {
      heal: async () => {
        await world.setClock(0);
        return 1;
      },
    };
  },
}));
