import { Type } from 'typebox';
import { anyObject, instant, orNull, text, uuid, type Wire } from './shape.ts';

const ROLE = Type.Enum(['operator', 'application']);

/** A connector that works at once, with credentials that the operator hands out to try things with. */
export const TrialConnector = Type.Object({
  upstream: text('What the operator calls the upstream that stands in for the real one.'),
  display_name: text('Of the kind.'),
  body: anyObject('What creates it: the body of `POST /v1/integrations/connectors`.'),
});
export type TrialConnector = Wire<typeof TrialConnector>;

/** Who is signed in to the web console. */
export const ConsoleSession = Type.Object({
  role: ROLE,
  application: orNull(
    Type.Object({ id: uuid(), name: text() }),
    'Whose session it is; null for the operator.',
  ),
  expires_at: instant('It ends by then, and an hour after it was last used.'),
  trials: Type.Array(TrialConnector, {
    description: 'What can be created to try things with; mostly nothing.',
  }),
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
