import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Fault } from '../fault.ts';
import { whyNoDisk } from '../world/world-database.ts';

const COPIES = 4;
const CHUNKS = [1024 * 1024, 4096, 1];

/** A disk without room. */
export const DISK_FAULTS: readonly Fault[] = [
  {
    name: 'disk-full',
    doc: 'the disk of the database has no room left',
    databases: ['embedded'],
    world: { diskMib: 320, scale: 1_000 },
    allows: { exits: true },
    skip: whyNoDisk,
    inject: async ({ world, load }) => {
      const filler = join(dirname(world.database.folder), 'filler');
      await fill(filler);
      // So much is written that the log of the database needs room, too.
      for (let copies = 0; copies < COPIES; copies++) await load.startCopy();
      return {
        heal: async () => {
          await rm(filler);
          return 1;
        },
      };
    },
  },
  {
    name: 'disk-full',
    doc: 'the disk of the database has no room left',
    databases: ['server'],
    skip: () => Promise.resolve('the disk is that of a server that others use'),
    inject: () => Promise.reject(new Error('it is skipped')),
  },
];

/** Writes until there is no room for another byte. */
async function fill(path: string): Promise<void> {
  await using file = await open(path, 'w');
  for (const bytes of CHUNKS) {
    const chunk = Buffer.alloc(bytes);
    for (;;)
      try {
        await file.write(chunk);
      } catch {
        break;
      }
  }
}
