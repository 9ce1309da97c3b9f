import type { ColumnType, Generated, Kysely } from 'kysely';
import type { ConnectorState } from './store.ts';

/** The schema that holds every table of ours, so that they share a database without clashes. */
export const SCHEMA = 'patchbay';

/** Set by the database when the row is made, and never after. */
type MadeAt = ColumnType<Date, never, never>;

/** Read as a value, written as JSON text. The columns are `json`: key order is kept. */
type Json<T> = ColumnType<T, string, string>;

interface OrganizationTable {
  id: string;
  name: string;
  created_at: MadeAt;
}

interface ApplicationTable {
  id: string;
  organization_id: string;
  client_id: string;
  secret_hash: string;
  name: string;
  created_at: MadeAt;
  revoked_at: Date | null;
}

interface ConnectorTable {
  id: string;
  application_id: string;
  organization_id: string;
  external_user_id: string;
  kind: string;
  name: string;
  state: ColumnType<ConnectorState, never, ConnectorState>;
  is_paused: Generated<boolean>;
  config: Json<Readonly<Record<string, unknown>>>;
  replication_config: ColumnType<
    Readonly<Record<string, unknown>> | null,
    string | null,
    string | null
  >;
  auth_method: string;
  /** Null only in a tombstone. */
  sealed_credentials: string | null;
  revision: Generated<number>;
  created_at: MadeAt;
  updated_at: ColumnType<Date, never, Date>;
  last_synced_at: Date | null;
  deleted_at: Date | null;
  deletion_job_id: string | null;
}

interface SigningKeyTable {
  id: string;
  sealed_key: string;
  created_at: MadeAt;
}

interface IdempotencyKeyTable {
  connector_id: string;
  key: string;
  fingerprint: string;
  instance_id: string;
  answer_status: number | null;
  answer_body: string | null;
  created_at: ColumnType<Date, never, Date>;
}

interface InstanceTable {
  id: string;
  beaten_at: ColumnType<Date, never, Date>;
}

interface SettingTable {
  name: string;
  value: string;
}

/** Every fixed table, as the last migration leaves it. */
export interface Tables {
  organizations: OrganizationTable;
  applications: ApplicationTable;
  connectors: ConnectorTable;
  signing_keys: SigningKeyTable;
  idempotency_keys: IdempotencyKeyTable;
  instances: InstanceTable;
  settings: SettingTable;
}

/** Connections to the database, or one open transaction; table names resolve to `SCHEMA`. */
export type Database = Kysely<Tables>;
