import type { Fault } from '../fault.ts';
import { CITUS_FAULTS } from './citus.ts';
import { CLOCK_FAULTS } from './clock.ts';
import { DATABASE_FAULTS } from './database.ts';
import { DISK_FAULTS } from './disk.ts';
import { MEMORY_FAULTS } from './memory.ts';
import { PROCESS_FAULTS } from './process.ts';
import { UPSTREAM_FAULTS } from './upstream.ts';

/** Every fault, in the order of the table. */
export const FAULTS: readonly Fault[] = [
  ...DATABASE_FAULTS,
  ...CITUS_FAULTS,
  ...DISK_FAULTS,
  ...PROCESS_FAULTS,
  ...UPSTREAM_FAULTS,
  ...CLOCK_FAULTS,
  ...MEMORY_FAULTS,
];
