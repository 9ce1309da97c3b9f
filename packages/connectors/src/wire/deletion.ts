import { Type } from 'typebox';
import { count, oneOfOpen, uuid, type Wire } from './shape.ts';

/** Which job clears what an external user had. */
export const DeletedExternalUser = Type.Object({ job_id: uuid() });
export type DeletedExternalUser = Wire<typeof DeletedExternalUser>;

/** What became of a deletion. */
export const Job = Type.Object({
  id: uuid(),
  status: oneOfOpen(['running', 'succeeded']),
  connectors: count(
    'Connectors that were deleted; of a deleted application, all that it ever had.',
  ),
  connectors_left: count('Of them, those of which copies are still there.'),
});
export type Job = Wire<typeof Job>;
