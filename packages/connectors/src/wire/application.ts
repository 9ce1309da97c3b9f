import { Type } from 'typebox';
import { instant, instantOrNull, orNull, text, textOrNull, uuid, type Wire } from './shape.ts';

/** A client secret of an application: everything but the secret itself. */
export const ApplicationSecret = Type.Object({ id: uuid(), created_at: instant() });
export type ApplicationSecret = Wire<typeof ApplicationSecret>;

/** The same, the one time that the secret is told. */
export const NewApplicationSecret = Type.Object({
  id: uuid(),
  created_at: instant(),
  client_secret: text('Told this once, and stored nowhere.'),
});
export type NewApplicationSecret = Wire<typeof NewApplicationSecret>;

const members = {
  id: uuid(),
  name: text(),
  client_id: text('What it logs in with, beside a secret.'),
  organization_id: uuid(),
  allowed_origins: Type.Array(text(), { description: 'Of pages that may open the connect page.' }),
  allowed_return_urls: Type.Array(text(), { description: 'Where people may be sent back to.' }),
  rate_limit: orNull(Type.Integer(), 'Calls a minute; null for the limit of the service.'),
  created_at: instant(),
  updated_at: instant(),
  revoked_at: instantOrNull('Since then nobody gets in with its secrets or tokens, for good.'),
};

/** An application in a list. */
export const ListedApplication = Type.Object(members);
export type ListedApplication = Wire<typeof ListedApplication>;

/** One page of applications, oldest first. */
export const ApplicationPage = Type.Object({
  data: Type.Array(ListedApplication),
  next: textOrNull('Cursor of the next page.'),
});
export type ApplicationPage = Wire<typeof ApplicationPage>;

/** An application, with what it logs in with. */
export const Application = Type.Object({
  ...members,
  secrets: Type.Array(ApplicationSecret, { description: 'Oldest first.' }),
});
export type Application = Wire<typeof Application>;

/** An application that has just been made. */
export const NewApplication = Type.Object({
  ...members,
  secrets: Type.Array(ApplicationSecret),
  client_secret: text('Told this once, and stored nowhere.'),
});
export type NewApplication = Wire<typeof NewApplication>;

/** Which job deletes the connectors of a deleted application. */
export const DeletedApplication = Type.Object({ job_id: uuid() });
export type DeletedApplication = Wire<typeof DeletedApplication>;
