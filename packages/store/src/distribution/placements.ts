import type { Tables } from '../database.ts';

/**
 * Where the rows of a table are, once the database is distributed:
 *
 * - spread over the nodes by the connector that they belong to: all of one connector on the same node;
 * - `reference`: on every node, so that what is spread can be joined with it, and refer to it. Each write
 *   needs every node, so only what is written seldom;
 * - `coordinator`: on the node that all are asked through. One node can lock what is due there, and what
 *   decides who gets in is written while another node is down.
 */
export type Placement =
  | { readonly by: 'connector'; readonly column: string }
  | { readonly by: 'reference' }
  | { readonly by: 'coordinator' };

const ON_COORDINATOR: Placement = { by: 'coordinator' };
const ON_EVERY_NODE: Placement = { by: 'reference' };
const BY_CONNECTOR: Placement = { by: 'connector', column: 'connector_id' };

/** The table that all others which are spread go with. */
export const FIRST_SPREAD = 'connectors';

/** Of every fixed table; a test compares it with the schema. Parents come before what refers to them. */
export const PLACEMENTS: Readonly<Record<keyof Tables | 'schema_migrations' | 'stats', Placement>> =
  {
    organizations: ON_EVERY_NODE,
    applications: ON_EVERY_NODE,

    connectors: { by: 'connector', column: 'id' },
    connector_syncs: BY_CONNECTOR,
    sync_runs: BY_CONNECTOR,
    entity_syncs: BY_CONNECTOR,
    credential_renewals: BY_CONNECTOR,
    idempotency_keys: BY_CONNECTOR,
    copy_words: BY_CONNECTOR,
    copy_paths: BY_CONNECTOR,
    copy_sightings: BY_CONNECTOR,

    application_secrets: ON_COORDINATOR,
    connect_sessions: ON_COORDINATOR,
    consents: ON_COORDINATOR,
    console_sessions: ON_COORDINATOR,
    copy_tables: ON_COORDINATOR,
    creations: ON_COORDINATOR,
    instances: ON_COORDINATOR,
    oauth_apps: ON_COORDINATOR,
    // Taken by locking what is due.
    revocations: ON_COORDINATOR,
    revoked_tokens: ON_COORDINATOR,
    schema_migrations: ON_COORDINATOR,
    settings: ON_COORDINATOR,
    signing_keys: ON_COORDINATOR,
    // What is due is found, and taken, in one place.
    sync_queue: ON_COORDINATOR,
    // One statement adds to the rows of many subjects: on several nodes two processes would block each other.
    stats: ON_COORDINATOR,
  };

/** Of a fixed table, or of one that holds copies; `undefined` for one that nobody has decided about. */
export function placementOf(table: string): Placement | undefined {
  if (isFixed(table)) return PLACEMENTS[table];
  return table.startsWith('copy_') ? BY_CONNECTOR : undefined;
}

function isFixed(table: string): table is keyof typeof PLACEMENTS {
  return Object.hasOwn(PLACEMENTS, table);
}
