import type { Account, CopyDrift } from '@patchbay/connectors/engine';
import type { ColumnType, Generated, Kysely } from 'kysely';
import type { ConnectorState } from './contract/store.ts';
import type { ReadProgress, RunCause, RunState } from './contract/syncs.ts';

/** The schema that holds every table of ours, so that they share a database without clashes. */
export const SCHEMA = 'patchbay';

/** Set by the database when the row is made, and never after. */
type MadeAt = ColumnType<Date, never, never>;

/** Read as a value, written as JSON text. The columns are `json`: key order is kept. */
type Json<T> = ColumnType<T, string, string>;

type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>;

interface OrganizationTable {
  id: string;
  name: string;
  created_at: MadeAt;
}

interface ApplicationTable {
  id: string;
  organization_id: string;
  client_id: string;
  name: string;
  allowed_origins: ColumnType<readonly string[], string | undefined, string>;
  allowed_return_urls: ColumnType<readonly string[], string | undefined, string>;
  calls_per_minute: number | null;
  created_at: MadeAt;
  updated_at: ColumnType<Date, never, Date>;
  revoked_at: Date | null;
  deleted_at: Date | null;
  deletion_job_id: string | null;
}

interface ApplicationSecretTable {
  id: string;
  application_id: string;
  secret_hash: string;
  is_first: boolean;
  created_at: MadeAt;
}

interface ConnectorTable {
  id: string;
  application_id: string;
  organization_id: string;
  external_user_id: string;
  kind: string;
  name: string;
  state: ColumnType<ConnectorState, never, ConnectorState>;
  state_changed_at: ColumnType<Date, never, Date>;
  is_paused: Generated<boolean>;
  is_disabled: Generated<boolean>;
  config: Json<Readonly<Record<string, unknown>>>;
  replication_config: ColumnType<
    Readonly<Record<string, unknown>> | null,
    string | null,
    string | null
  >;
  auth_method: string;
  /** Null only in a tombstone. */
  sealed_credentials: string | null;
  credentials_epoch: Generated<number>;
  credentials_digest: string | null;
  account: ColumnType<Account | null, string | null | undefined, string | null>;
  revision: Generated<number>;
  created_at: MadeAt;
  updated_at: ColumnType<Date, never, Date>;
  last_synced_at: Date | null;
  deleted_at: Date | null;
  deletion_job_id: string | null;
  renew_at: Date | null;
  token_ends_at: Date | null;
  token_digest: string | null;
  renewed_at: Date | null;
  state_reason: string | null;
  is_revocable: Generated<boolean>;
  is_renewable: boolean | null;
}

interface RevocationTable {
  id: Generated<string>;
  connector_id: string;
  application_id: string;
  kind: string;
  auth_method: string;
  config: Json<Readonly<Record<string, unknown>>>;
  account: NullableJson<Account>;
  sealed_credentials: string;
  created_at: MadeAt;
  due_at: ColumnType<Date, Date | undefined, Date>;
  owner: string | null;
  failures: Generated<number>;
}

interface CredentialRenewalTable {
  connector_id: string;
  of_credentials: Buffer;
  owner: string;
  lease_ends_at: Date | null;
  not_before: Date | null;
  failures: number;
  unanswered: number;
}

interface CreationTable {
  scope: string;
  key: string;
  fingerprint: string;
  instance_id: string;
  /** Null in the rows of older processes. */
  call_number: number | null;
  answer_status: number | null;
  sealed_answer: string | null;
  created_at: ColumnType<Date, never, Date>;
}

interface OAuthAppTable {
  application_id: string;
  kind: string;
  id: string;
  sealed_app: string;
  created_at: MadeAt;
  updated_at: ColumnType<Date, never, Date>;
}

interface ConsentTable {
  state_hash: Buffer;
  browser_hash: Buffer | null;
  application_id: string;
  external_user_id: string;
  kind: string;
  request: Json<Readonly<Record<string, unknown>>>;
  sealed_verifier: string | null;
  created_at: MadeAt;
  expires_at: Date;
  taken_at: Date | null;
}

interface ConnectSessionTable {
  id: string;
  application_id: string;
  external_user_id: string;
  user_label: string | null;
  kinds: readonly string[];
  connector_id: string;
  reconnects: boolean;
  config: Json<Readonly<Record<string, unknown>>>;
  replication_config: NullableJson<Readonly<Record<string, unknown>>>;
  return_url: string | null;
  origin: string | null;
  branding: NullableJson<Readonly<Record<string, unknown>>>;
  needs_confirmation: boolean;
  secret_hash: string;
  browser_hash: string | null;
  status: ColumnType<'open' | 'given' | 'succeeded', never, 'open' | 'given' | 'succeeded'>;
  attempts: Generated<number>;
  error_code: string | null;
  error_message: string | null;
  created_at: MadeAt;
  expires_at: ColumnType<Date, Date, never>;
  given_kind: string | null;
  given_name: string | null;
  given_config: NullableJson<Readonly<Record<string, unknown>>>;
  given_auth_method: string | null;
  given_account: NullableJson<Account>;
  given_by_consent: boolean | null;
  given_token_digest: string | null;
  sealed_credentials: string | null;
  confirmed_at: Date | null;
}

interface SigningKeyTable {
  id: string;
  sealed_key: string;
  created_at: MadeAt;
}

interface RevokedTokenTable {
  jti: string;
  revoked_by: string;
  expires_at: ColumnType<Date, Date, never>;
}

interface ConsoleSessionTable {
  secret_hash: string;
  client_secret_id: string | null;
  operator_key_digest: string | null;
  created_at: ColumnType<Date, Date, never>;
  used_at: ColumnType<Date, Date, Date>;
  expires_at: ColumnType<Date, Date, never>;
}

interface IdempotencyKeyTable {
  connector_id: string;
  key: string;
  fingerprint: string;
  instance_id: string;
  /** Null in the rows of older processes. */
  call_number: number | null;
  answer_status: number | null;
  answer_body: string | null;
  created_at: ColumnType<Date, never, Date>;
}

interface InstanceTable {
  id: string;
  beaten_at: ColumnType<Date, never, Date>;
  is_worker: Generated<boolean>;
  /** Null in the rows of older processes. */
  master_keys: readonly string[] | null;
}

interface SettingTable {
  name: string;
  value: string;
}

interface ConnectorSyncTable {
  connector_id: string;
  application_id: string;
  lease_owner: string | null;
  lease_epoch: Generated<number>;
  lease_expires_at: Date | null;
  due_at: ColumnType<Date | null, never, Date | null>;
  deleted_at: Date | null;
  copy_number: Generated<number>;
  discarded_at: Date | null;
}

interface SyncQueueTable {
  connector_id: string;
  application_id: string;
  kind: string;
  look_at: Date | null;
  is_urgent: Generated<boolean>;
  is_taken: Generated<boolean>;
  is_clearing: Generated<boolean>;
  wakes: Generated<number>;
}

interface SyncRunTable {
  id: string;
  connector_id: string;
  application_id: string;
  cause: RunCause;
  state: ColumnType<RunState, RunState | undefined, RunState>;
  /** When it was made, unless a clock that was wrong said so. */
  requested_at: ColumnType<Date, never, Date>;
  started_at: Date | null;
  finished_at: Date | null;
  entities: Generated<readonly string[]>;
  records_read: Generated<number>;
  records_written: Generated<number>;
  records_deleted: Generated<number>;
  problem_code: string | null;
  problem_message: string | null;
  problem_entity: string | null;
}

interface EntitySyncTable {
  connector_id: string;
  entity: string;
  generation: Generated<number>;
  has_page: Generated<boolean>;
  is_complete: Generated<boolean>;
  as_of: Date | null;
  last_full_at: Date | null;
  is_forbidden: Generated<boolean>;
  problem_code: string | null;
  problem_message: string | null;
  record_count: Generated<number>;
  definition_hash: string | null;
  read_mode: ReadProgress['mode'] | null;
  read_definition_hash: string | null;
  read_started_at: Date | null;
  read_records: number | null;
  read_pages: number | null;
  read_position: ColumnType<unknown, string | null, string | null>;
  read_epoch: number | null;
  drift: ColumnType<CopyDrift | null, string | null, CopyDrift | string | null>;
  read_drift: ColumnType<CopyDrift | null, string | null, CopyDrift | string | null>;
  knows_paths: Generated<boolean>;
  observes_paths: Generated<boolean>;
  losses: Generated<number>;
  settled_losses: number | null;
  parents_as_of: Date | null;
  read_parents_as_of: Date | null;
  updated_at: ColumnType<Date, Date, Date>;
}

interface CopyTableTable {
  name: string;
  definition_hash: string;
  reconciled_at: MadeAt;
}

interface CopySightingTable {
  connector_id: string;
  entity: string;
  record_key: string;
  generation: number;
}

interface CopyWordTable {
  connector_id: string;
  entity: string;
  word: string;
  letters: number;
  keys: readonly number[];
}

interface CopyPathTable {
  connector_id: string;
  entity: string;
  path: string;
  types: number;
  generation: number;
  records: number;
  earlier_records: Generated<number>;
}

/** Every fixed table, with the columns that this version uses. */
export interface Tables {
  organizations: OrganizationTable;
  applications: ApplicationTable;
  application_secrets: ApplicationSecretTable;
  connectors: ConnectorTable;
  credential_renewals: CredentialRenewalTable;
  revocations: RevocationTable;
  oauth_apps: OAuthAppTable;
  consents: ConsentTable;
  connect_sessions: ConnectSessionTable;
  signing_keys: SigningKeyTable;
  revoked_tokens: RevokedTokenTable;
  console_sessions: ConsoleSessionTable;
  idempotency_keys: IdempotencyKeyTable;
  instances: InstanceTable;
  settings: SettingTable;
  creations: CreationTable;
  connector_syncs: ConnectorSyncTable;
  sync_queue: SyncQueueTable;
  sync_runs: SyncRunTable;
  entity_syncs: EntitySyncTable;
  copy_tables: CopyTableTable;
  copy_sightings: CopySightingTable;
  copy_words: CopyWordTable;
  copy_paths: CopyPathTable;
}

/** Connections to the database, or one open transaction; table names resolve to `SCHEMA`. */
export type Database = Kysely<Tables>;
