import { Type } from 'typebox';
import { instant, text, uuid, type Wire } from './shape.ts';

/** Where a person is sent to be asked for consent. */
export const ConsentUrl = Type.Object({
  consent_url: text('An address of the service; it works for ten minutes, once.'),
});
export type ConsentUrl = Wire<typeof ConsentUrl>;

/** An OAuth app of an application's own; its credentials are told to nobody. */
export const OAuthAppInfo = Type.Object({
  id: uuid(),
  connector_type: text(),
  connector_definition_id: uuid(),
  created_at: instant(),
  updated_at: instant(),
});
export type OAuthAppInfo = Wire<typeof OAuthAppInfo>;

export const OAuthAppList = Type.Object({
  data: Type.Array(OAuthAppInfo),
  next: Type.Null(),
});
export type OAuthAppList = Wire<typeof OAuthAppList>;
