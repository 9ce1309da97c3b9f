import { labelOf } from '../../parts/words.ts';

const CAUSES: Readonly<Record<string, string>> = {
  creation: 'its creation',
  schedule: 'the schedule',
  demand: 'a request',
  credentials: 'other credentials',
  definition: 'other settings or another version',
};

/** Why a run was asked for; causes of later services stand for themselves. */
export function causeText(cause: string): string {
  return CAUSES[cause] ?? labelOf(cause);
}
