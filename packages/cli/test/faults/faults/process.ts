import { OVER, type Fault } from '../fault.ts';
import { pause } from '../pause.ts';

const STOPPED_MS = 5_000;

/** What happens to the processes of the service. */
export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'killed',
    doc: 'SIGKILL, and a start on the same data',
    databases: ['embedded', 'server'],
    inject: async ({ world }) => {
      for (const service of world.services) {
        await service.kill();
        await service.start();
      }
      return OVER;
    },
  },
  {
    name: 'one-of-two-killed',
    doc: 'of two processes on one database one is killed',
    databases: ['server'],
    world: { processes: 2 },
    inject: async ({ world }) => {
      const [, second] = world.services;
      await second?.kill();
      return {
        heal: async () => {
          await second?.start();
          return 1;
        },
      };
    },
  },
  {
    name: 'stopped',
    doc: 'SIGSTOP for five seconds, and SIGCONT',
    databases: ['embedded', 'server'],
    inject: async ({ world }) => {
      for (const service of world.services) service.signal('SIGSTOP');
      await pause(STOPPED_MS);
      for (const service of world.services) service.signal('SIGCONT');
      return OVER;
    },
  },
];
