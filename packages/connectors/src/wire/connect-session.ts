import { Type } from 'typebox';
import { Account } from './account.ts';
import { count, instant, oneOfOpen, orNull, text, textOrNull, uuid, type Wire } from './shape.ts';

const sessionStatus = oneOfOpen(
  ['open', 'unconfirmed', 'succeeded', 'expired'],
  '`unconfirmed`: a person has given what was asked for, and it waits for the confirmation.',
);

const sessionError = orNull(
  Type.Object({ code: text('A code of the error table.'), message: text() }),
  'What the last attempt ended with.',
);

/** A connect session that was made: its link goes to one person. */
export const NewConnectSession = Type.Object({
  id: uuid(),
  connect_url: text('Opens the connect page, once, for half an hour; it is shown only here.'),
  expires_at: instant(),
});
export type NewConnectSession = Wire<typeof NewConnectSession>;

/** How far a connect session is. */
export const ConnectSession = Type.Object({
  id: uuid(),
  status: sessionStatus,
  external_user_id: text(),
  connector_type: textOrNull('Null until the person has chosen among several.'),
  connector_id: orNull(
    uuid(),
    'The connector that was made, or given other credentials; while `unconfirmed`, the one that will be.',
  ),
  account: orNull(Account, 'Whose credentials were given, where the upstream says so.'),
  error: sessionError,
  expires_at: instant(),
});
export type ConnectSession = Wire<typeof ConnectSession>;

/** A connect session in a list. */
export const ListedConnectSession = Type.Object({
  ...ConnectSession.properties,
  user_label: textOrNull('What the page calls the person it was made for.'),
  created_at: instant(),
});
export type ListedConnectSession = Wire<typeof ListedConnectSession>;

/** One page of connect sessions, newest first. */
export const ConnectSessionPage = Type.Object({
  data: Type.Array(ListedConnectSession),
  next: textOrNull('Cursor of the next page.'),
});
export type ConnectSessionPage = Wire<typeof ConnectSessionPage>;

/** A member of `config`, as a form asks for it. */
export const ConnectSetting = Type.Object({
  name: text(),
  required: Type.Boolean(),
  doc: text(),
  expects: text('What a valid value is, as it completes "must be …".'),
  allowed: orNull(Type.Array(text()), 'The words there are, where it is a choice.'),
  default: Type.Unknown(),
});
export type ConnectSetting = Wire<typeof ConnectSetting>;

/** A way to authenticate, as a form asks for it. */
export const ConnectMethod = Type.Object({
  name: text(),
  label: text(),
  doc: text(),
  has_consent: Type.Boolean({
    description: 'A person can consent at the vendor, since an OAuth app is configured.',
  }),
  fields: Type.Array(
    Type.Object({ name: text(), doc: text(), required: Type.Boolean(), secret: Type.Boolean() }),
  ),
});
export type ConnectMethod = Wire<typeof ConnectMethod>;

/** A connector kind that a person may connect in a session. */
export const ConnectKind = Type.Object({
  connector_type: text(),
  display_name: text(),
  doc: text(),
  config: Type.Array(ConnectSetting, {
    description: 'Without what the application has said already.',
  }),
  methods: Type.Array(ConnectMethod),
});
export type ConnectKind = Wire<typeof ConnectKind>;

/** How far the first copy of a new connector is. */
export const ConnectProgress = Type.Object({
  state: orNull(oneOfOpen(['queued', 'running', 'succeeded', 'failed', 'cancelled'])),
  entities: Type.Array(
    Type.Object({
      entity: text(),
      state: oneOfOpen(['never', 'syncing', 'idle', 'failed', 'paused']),
      records: count(),
    }),
  ),
});
export type ConnectProgress = Wire<typeof ConnectProgress>;

/** A connect session as the connect page sees it, in the browser that is bound to it. */
export const ConnectPageSession = Type.Object({
  id: uuid(),
  status: sessionStatus,
  expires_at: instant(),
  application_name: text(),
  user_label: textOrNull(),
  branding: orNull(
    Type.Object({ name: textOrNull(), logo_url: textOrNull(), accent: textOrNull() }),
  ),
  return_url: textOrNull(),
  origin: textOrNull(),
  reconnects: Type.Boolean({ description: 'A connector that there is gets other credentials.' }),
  connector_id: orNull(uuid()),
  connector_type: textOrNull(),
  error: sessionError,
  kinds: Type.Array(ConnectKind),
  progress: orNull(ConnectProgress),
});
export type ConnectPageSession = Wire<typeof ConnectPageSession>;

/** Where a person goes to consent. */
export const ConsentStart = Type.Object({ authorize_url: text() });
export type ConsentStart = Wire<typeof ConsentStart>;
