import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Store } from '../src/contract/store.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication, addConnector } from './support/sample-rows.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

interface CleanUp {
  readonly what: string;
  /** Makes five rows that are over, and two that are not: those of numbers above 5. */
  readonly sql: (ids: { readonly applicationId: string; readonly connectorId: string }) => string;
  readonly piece: (store: Store, limit: number) => Promise<number>;
  readonly left: string;
}

const AGE_MS = 60_000;
const NUMBERS = 'from generate_series(1, 7) as n';
const AT = "now() + case when n > 5 then interval '1 hour' else interval '-1 hour' end";

const CLEAN_UPS: readonly CleanUp[] = [
  {
    what: 'revoked tokens',
    sql: () =>
      `insert into patchbay.revoked_tokens select gen_random_uuid(), 'operator', ${AT} ${NUMBERS}`,
    piece: (store, limit) => store.revokedTokens.deleteExpired(limit),
    left: 'patchbay.revoked_tokens',
  },
  {
    what: 'console sessions',
    sql: () => `insert into patchbay.console_sessions
      select 'hash ' || n, null, 'digest', now(), now(), ${AT} ${NUMBERS}`,
    piece: (store, limit) => store.consoleSessions.deleteEnded(3 * AGE_MS, limit),
    left: 'patchbay.console_sessions',
  },
  {
    what: 'idempotency keys',
    sql: ({ connectorId }) => `insert into patchbay.idempotency_keys
      (connector_id, key, fingerprint, instance_id, created_at)
      select '${connectorId}', 'key ' || n, 'f', 'i', ${AT} ${NUMBERS}`,
    piece: (store, limit) => store.idempotency.deleteOlderThan(AGE_MS, limit),
    left: 'patchbay.idempotency_keys',
  },
  {
    what: 'revocations',
    sql: ({ applicationId, connectorId }) => `insert into patchbay.revocations
      (connector_id, application_id, kind, auth_method, config, sealed_credentials, created_at)
      select '${connectorId}', '${applicationId}', 'k', 'm', '{}', 's', ${AT} ${NUMBERS}`,
    piece: (store, limit) => store.revocations.expire(AGE_MS, limit),
    left: 'patchbay.revocations',
  },
  {
    what: 'OAuth apps of deleted applications',
    sql: () => `with organization as (
        insert into patchbay.organizations values (gen_random_uuid(), 'o') returning id
      ),
      application as (
        insert into patchbay.applications (id, organization_id, client_id, name, deleted_at,
          deletion_job_id, revoked_at)
        select gen_random_uuid(), id, 'deleted ' || n, 'a', ${AT}, gen_random_uuid(), now()
        from organization, generate_series(1, 7) as n returning id
      )
      insert into patchbay.oauth_apps (application_id, kind, id, sealed_app)
      select id, 'k', gen_random_uuid(), 's' from application`,
    piece: (store, limit) => store.oauthApps.deleteOfDeleted(AGE_MS, limit),
    left: 'patchbay.oauth_apps',
  },
  {
    what: 'creations',
    sql: () => `insert into patchbay.creations (scope, key, fingerprint, instance_id, created_at)
      select 's', 'key ' || n, 'f', 'i', ${AT} ${NUMBERS}`,
    piece: (store, limit) => store.creations.deleteOlderThan(AGE_MS, limit),
    left: 'patchbay.creations',
  },
  {
    what: 'figures by the minute',
    sql: () => `insert into patchbay.stats
      select gen_random_uuid(), ${AT}, 0, 0, null, 0, 0, 0 ${NUMBERS}`,
    piece: (store, limit) => store.stats.deleteOlderThan(AGE_MS, limit),
    left: 'patchbay.stats',
  },
  {
    what: 'consents',
    sql: ({ applicationId }) => `insert into patchbay.consents
      (state_hash, application_id, external_user_id, kind, request, expires_at)
      select decode(lpad(n::text, 64, '0'), 'hex'), '${applicationId}', 'u', 'k', '{}', ${AT}
      ${NUMBERS}`,
    piece: (store, limit) => store.consents.deleteExpired(AGE_MS, limit),
    left: 'patchbay.consents',
  },
  {
    what: 'connect sessions',
    sql: ({ applicationId }) => sessions(applicationId, `'open', null`),
    piece: (store, limit) => store.connectSessions.deleteOlderThan(AGE_MS, limit),
    left: "patchbay.connect_sessions where status = 'open'",
  },
  {
    what: 'credentials of connect sessions',
    sql: ({ applicationId }) => sessions(applicationId, `'given', 's'`),
    piece: (store, limit) => store.connectSessions.eraseExpired(limit),
    left: 'patchbay.connect_sessions where sealed_credentials is not null',
  },
];

function sessions(applicationId: string, given: string): string {
  return `insert into patchbay.connect_sessions (id, application_id, external_user_id, kinds,
      connector_id, reconnects, config, needs_confirmation, secret_hash, expires_at, status,
      sealed_credentials)
    select gen_random_uuid(), '${applicationId}', 'u', '{k}', gen_random_uuid(), false, '{}', true,
      gen_random_uuid()::text, ${AT}, ${given} ${NUMBERS}`;
}

for (const database of TEST_DATABASES)
  describe(`clean-up in pieces on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    let ids: { readonly applicationId: string; readonly connectorId: string };
    before(async () => {
      store = await openTestStore(database);
      const { id: applicationId } = await addApplication(store);
      const { id: connectorId } = await addConnector(store, { applicationId });
      ids = { applicationId, connectorId };
    });
    after(() => store.close());

    for (const { what, sql, piece, left } of CLEAN_UPS)
      test(`deletes as many ${what} at once as it is asked to`, async () => {
        await store.query(sql(ids));
        const deleted = [];
        for (let count = 0; count < 4; count++) deleted.push(await piece(store, 2));
        assert.deepEqual(deleted, [2, 2, 1, 0]);
        assert.deepEqual(await store.query(`select count(*)::int as n from ${left}`), [{ n: 2 }]);
      });
  });
