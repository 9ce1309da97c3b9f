import { Type } from 'typebox';
import { instant, text, uuid, type Wire } from './shape.ts';

/** An application token; it lives 900 seconds. */
export const ApplicationToken = Type.Object({
  access_token: text(),
  token_type: Type.Literal('bearer'),
  expires_in: Type.Integer({ minimum: 1, description: 'Seconds.' }),
  // Services before 0.2 do not say it.
  application_id: Type.Optional(uuid('Whose it is, for `GET /v1/applications/{id}`.')),
});
export type ApplicationToken = Wire<typeof ApplicationToken>;

/** A token for one external user; it lives 1,200 seconds. */
export const ScopedToken = Type.Object({
  token: text(),
  expires_in: Type.Integer({ minimum: 1, description: 'Seconds.' }),
});
export type ScopedToken = Wire<typeof ScopedToken>;

/** What a scoped token allows. */
export const ScopedTokenInfo = Type.Object({
  organization_id: uuid(),
  external_user_id: text(),
  access: Type.Enum(['read', 'write']),
  expires_at: instant(),
});
export type ScopedTokenInfo = Wire<typeof ScopedTokenInfo>;
