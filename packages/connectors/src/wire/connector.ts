import { Type } from 'typebox';
import { Account } from './account.ts';
import { Warning } from './warning.ts';
import {
  addedLater,
  anyObject,
  count,
  countOrNull,
  instant,
  instantOrNull,
  oneOfOpen,
  orNull,
  text,
  textOrNull,
  uuid,
  type Wire,
} from './shape.ts';

/** How far the copies of a connector are behind, all of them together. */
export const ConnectorFreshness = Type.Object({
  as_of: instantOrNull(
    'Start of the last complete read of the entity for which that is longest ago; null until all have been read.',
  ),
  lag_seconds: countOrNull('How long ago that was.'),
  complete: Type.Boolean({ description: 'The first full read of all of them is done.' }),
  interval_seconds: addedLater(
    count(),
    'How long after a sync has ended the next one is due, as this process is configured.',
  ),
  record_count: addedLater(
    count(),
    'Records in all of the copies together; those of writes through the service are counted by the next full read.',
  ),
});
export type ConnectorFreshness = Wire<typeof ConnectorFreshness>;

/** What is wrong with a connector. */
export const LastError = Type.Object({
  code: text('A code of the error table.'),
  message: text(),
  at: instant(),
});
export type LastError = Wire<typeof LastError>;

const members = {
  id: uuid(),
  name: text(),
  connector_type: text('The canonical name of its kind.'),
  definition_id: uuid('The id of its kind.'),
  external_user_id: text(),
  status: oneOfOpen(
    ['pending', 'active', 'degraded', 'reauth_required', 'paused', 'disabled'],
    '`paused`: it is not copied, and answers calls and searches. `disabled`: it does none of it.',
  ),
  paused: Type.Boolean({ description: 'It is not copied; calls and searches go on.' }),
  disabled: Type.Boolean({ description: 'It answers no calls and searches, and is not copied.' }),
  auth_method: text('The name of the auth method that its credentials are of.'),
  account: orNull(Account, 'Whose the credentials are; null until the upstream has said so.'),
  warnings: Type.Array(Warning, {
    description:
      'What somebody has to do: `credentials_out_of_place`, `config_missing`, `credentials_ending`, `start_date_ahead`.',
  }),
  config: anyObject(),
  replication_config: orNull(anyObject()),
  created_at: instant(),
  updated_at: instant(),
  last_synced_at: instantOrNull('End of the last sync that brought anything.'),
  freshness: addedLater(ConnectorFreshness, 'Of all its copies together.'),
  last_error: addedLater(
    LastError,
    'Why its credentials are refused, or else why the last sync failed; null once that is over.',
  ),
  summarized_source_template: Type.Object({
    name: text('The display name of its kind.'),
    connector_name: text('The canonical name of its kind.'),
  }),
};

/** A connector as the service has it: everything but its credentials. */
export const Connector = Type.Object(members);
export type Connector = Wire<typeof Connector>;

/** One page of connectors, oldest first. */
export const ConnectorPage = Type.Object({
  data: Type.Array(Connector),
  next: textOrNull('Cursor of the next page.'),
});
export type ConnectorPage = Wire<typeof ConnectorPage>;

/** All connectors of an external user, as clients of other generations ask for them. */
export const ConnectorsOfUser = Type.Object({ connectors: Type.Array(Connector) });

/** The external users that have connectors. */
export const Workspaces = Type.Object({
  data: Type.Array(Type.Object({ id: text(), name: text() })),
});

/** Which job clears what is left of a deleted connector. */
export const DeletedConnector = Type.Object({ job_id: uuid() });
export type DeletedConnector = Wire<typeof DeletedConnector>;

const verdict = () => Type.Enum(['succeeded', 'failed']);

/** Whether the credentials of a connector work, entity by entity. */
export const ConnectorCheck = Type.Object({
  id: uuid(),
  status: verdict(),
  error_message: Type.Optional(text()),
  entity_check_results: Type.Array(
    Type.Object({
      entity: text(),
      status: verdict(),
      error_code: Type.Optional(text('A code of the error table.')),
      error_message: Type.Optional(text()),
    }),
  ),
  warnings: Type.Array(Warning, { description: 'Those of the connector.' }),
});
export type ConnectorCheck = Wire<typeof ConnectorCheck>;

/** How far the searchable copy of an entity is. */
export const EntityReadiness = Type.Object({
  entity: text(),
  status: oneOfOpen(
    ['initializing', 'preview', 'ready', 'failed', 'forbidden'],
    '`preview`: searchable, but not whole yet.',
  ),
  ready_for_search: Type.Boolean({ description: 'The first full copy is done.' }),
  entity_count: count('Records in the copy.'),
  updated_at: instantOrNull('Last change of this state; null before anything was read.'),
});
export type EntityReadiness = Wire<typeof EntityReadiness>;

/** A connector, and how far its searchable copies are. */
export const ConnectorInspection = Type.Object({
  ...members,
  context_store_readiness: Type.Object({
    configured_cache_entities: Type.Array(EntityReadiness),
  }),
});
export type ConnectorInspection = Wire<typeof ConnectorInspection>;
