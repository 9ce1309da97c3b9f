import { Type } from 'typebox';
import { count, oneOfOpen, text, type Wire } from './shape.ts';
import { Warning } from './warning.ts';

/** A process that can work. Anybody may read it, so it holds nothing that not everybody may know. */
export const Readiness = Type.Object({
  status: Type.Literal('ready'),
  version: text('Of the service.'),
  role: oneOfOpen(
    ['all', 'api', 'worker'],
    'What this process does: it answers calls, copies records, or both.',
  ),
  database: oneOfOpen(['embedded', 'postgresql']),
  workers: count('Processes on the same database that copy records, this one included.'),
  warnings: Type.Array(Warning, {
    description:
      '`no_worker`, where no process copies records: searches find nothing new. `clock_differs`: the clock of this process and that of the database differ by more than 60 s. `no_writes`: the database took no write when the process last tried.',
  }),
});
export type Readiness = Wire<typeof Readiness>;
