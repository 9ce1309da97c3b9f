import { Type } from 'typebox';
import { instant, orNull, text, uuid, type Wire } from './shape.ts';

const ROLE = Type.Enum(['operator', 'application']);

/** Who is signed in to the web console. */
export const ConsoleSession = Type.Object({
  role: ROLE,
  application: orNull(
    Type.Object({ id: uuid(), name: text() }),
    'Whose session it is; null for the operator.',
  ),
  expires_at: instant('It ends by then, and an hour after it was last used.'),
});
export type ConsoleSession = Wire<typeof ConsoleSession>;

/** A bearer token for the page of the console, to be held in memory. */
export const ConsoleToken = Type.Object({
  token: text(),
  expires_at: instant(),
  role: ROLE,
  application_id: orNull(uuid(), 'Whose token it is; null for one of the operator.'),
});
export type ConsoleToken = Wire<typeof ConsoleToken>;
