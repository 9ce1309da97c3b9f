import { sql } from 'kysely';
import { encodeBackup } from './backup/backup-file.ts';
import { readParts } from './backup/read-parts.ts';
import { Lanes } from './lanes.ts';
import { findDatabase, prepare } from './find-database.ts';
import { repeatedRead } from './repeated-read.ts';
import { ResourceStack } from './resource-stack.ts';
import { CopyTables, standardTables } from './copies/copy-table.ts';
import { mergeRecord } from './copies/merge-record.ts';
import { ALL_AT_ONCE, type Pace } from './pace.ts';
import { makeCopyContext, openCopy, type CopyContext } from './copies/open-copy.ts';
import { findUnseen, listPaths } from './copies/observed-paths.ts';
import { findParents } from './copies/search/find-parents.ts';
import { searchCopy } from './copies/search/search-copy.ts';
import { openSyncs } from './sync/open-syncs.ts';
import type { StoreOptions } from './store-options.ts';
import type { DatabaseProfile, Store } from './contract/store.ts';
import {
  addSecret,
  createApplication,
  createFirstApplication,
  deleteApplication,
  deleteSecret,
  ensureApplication,
  findApplicationByClientId,
  findApplicationById,
  findLogin,
  listApplications,
  listSecrets,
  listUncleared,
  revokeApplication,
  updateApplication,
} from './statements/applications.ts';
import {
  createConnector,
  findConnector,
  listConnectors,
  listExternalUsers,
  updateConnector,
} from './statements/connectors.ts';
import { deleteConnector, deleteSomeConnectors } from './statements/delete-connectors.ts';
import {
  deleteEndedConsoleSessions,
  endConsoleSession,
  openConsoleSession,
  useConsoleSession,
} from './statements/console-sessions.ts';
import {
  beginCreation,
  deleteCreationsOlderThan,
  finishCreation,
  releaseCreation,
} from './statements/creations.ts';
import {
  beginIntent,
  deleteIdempotencyKeysOlderThan,
  finishIntent,
  releaseIntent,
} from './statements/idempotency-keys.ts';
import {
  bindConsent,
  deleteExpiredConsents,
  findConsent,
  openConsent,
  takeConsent,
} from './statements/consents.ts';
import {
  deleteOAuthApp,
  deleteOAuthAppsOfDeleted,
  findOAuthApp,
  listOAuthApps,
  putOAuthApp,
} from './statements/oauth-apps.ts';
import { findDeletion } from './statements/deletions.ts';
import { readFigures } from './statements/figures.ts';
import {
  beatInstance,
  countWithoutKey,
  countWorkers,
  removeInstance,
} from './statements/instances.ts';
import {
  beginRenewal,
  dueRenewals,
  failRenewal,
  finishRenewal,
  isRenewalUnderWay,
  refuseRenewal,
} from './statements/renewals.ts';
import {
  addRevocation,
  areCredentialsUsed,
  endRevocation,
  expireRevocations,
  failRevocation,
  isAccountHeld,
  isTokenHeld,
  keepRevocation,
  takeRevocations,
} from './statements/revocations.ts';
import {
  bindConnectSession,
  confirmConnectSession,
  countSessionAttempt,
  createConnectSession,
  deleteBegunFor,
  deleteConnectSessionsOlderThan,
  eraseExpiredCredentials,
  findConnectSession,
  giveToConnectSession,
  noteSessionProblem,
  reopenConnectSession,
  succeedConnectSession,
} from './statements/connect-sessions.ts';
import { listConnectSessions } from './statements/list-connect-sessions.ts';
import { createOrganization, listOrganizations } from './statements/organizations.ts';
import { countSealed, listSealedUnlike, resealValue } from './statements/sealed-values.ts';
import { ensureSetting, findSetting } from './statements/settings.ts';
import {
  addRevokedToken,
  deleteExpiredTokens,
  listRevokedTokens,
} from './statements/revoked-tokens.ts';
import { addStats, deleteStatsOlderThan, listStats } from './statements/stats.ts';
import {
  createSigningKey,
  deleteOtherSigningKeys,
  deleteSucceededSigningKeys,
  listSigningKeys,
} from './statements/signing-keys.ts';

/**
 * Opens the storage of the service, and brings its schema up to date: the PostgreSQL database at
 * `databaseUrl`, or else the embedded one in `dataFolder`, which this process then has for itself.
 * The first start in a folder takes about 3 s, later ones well under one.
 *
 * @throws Every code of `StoreErrorCode` but `text_not_storable` and `lease_lost`.
 */
export async function openStore(options: StoreOptions): Promise<Store & AsyncDisposable> {
  const resources = new ResourceStack();
  try {
    const found = await findDatabase(options, resources);
    const tables = options.kinds === undefined ? standardTables() : new CopyTables(options.kinds);
    const profile = await prepare(found, tables, options).catch((error: unknown) => {
      throw found.explain?.(error) ?? error;
    });
    found.onPrepared?.();
    const { keepsStatements, isDistributed } = profile;
    const lanes = new Lanes({ ...found, keepsStatements }, found.sizes);
    resources.add(() => lanes.end());
    const close = () => resources.close();
    const context = makeCopyContext(tables, {
      ...found.paces,
      isDistributed,
      // A cluster's plan is that of one node, which depends on the connector.
      keepsPlans: keepsStatements && !isDistributed,
    });
    const { makePace = () => ALL_AT_ONCE } = found;
    return storeOn({ profile, lanes, copies: context, makePace, close });
  } catch (error) {
    await resources.close();
    throw error;
  }
}

interface StoreParts {
  readonly profile: DatabaseProfile;
  readonly lanes: Lanes;
  readonly copies: CopyContext;
  readonly makePace: () => Pace;
  readonly close: () => Promise<void>;
}

function storeOn(parts: StoreParts): Store & AsyncDisposable {
  const { profile, lanes, copies, makePace, close } = parts;
  const { control, calls, replication } = lanes.databases;
  const { isDistributed } = profile;
  return {
    profile,
    organizations: {
      create: (organization) => createOrganization(control, organization),
      list: () => repeatedRead(() => listOrganizations(control)),
    },
    applications: {
      create: (application, secret) => createApplication(control, application, secret),
      createFirst: (...first) => createFirstApplication(control, first),
      ensure: (application, secret) => ensureApplication(control, application, secret),
      findByClientId: (clientId) =>
        repeatedRead(() => findApplicationByClientId(control, clientId)),
      findById: (id) => repeatedRead(() => findApplicationById(control, id)),
      findLogin: (clientId) => repeatedRead(() => findLogin(control, clientId)),
      list: (page) => repeatedRead(() => listApplications(control, page)),
      update: (id, change) => updateApplication(control, id, change),
      revoke: (id) => revokeApplication(control, id),
      delete: (id, jobId) => deleteApplication(control, id, jobId),
      uncleared: (limit, without) => repeatedRead(() => listUncleared(control, limit, without)),
      secrets: (id) => repeatedRead(() => listSecrets(control, id)),
      addSecret: (id, secret, most) => addSecret(control, id, { secret, most }),
      deleteSecret: (id, secretId) => deleteSecret(control, id, secretId),
    },
    connectors: {
      create: (connector, most, begun) => createConnector(calls, connector, { most, begun }),
      find: (id) => repeatedRead(() => findConnector(calls, id)),
      list: (filter, page) => repeatedRead(() => listConnectors(calls, filter, page)),
      update: (id, change, condition) => updateConnector(calls, id, { ...change, ...condition }),
      delete: (id, jobId, deleteOptions) => deleteConnector(calls, id, { ...deleteOptions, jobId }),
      deleteSome: (filter, jobId, deleteOptions) =>
        deleteSomeConnectors(calls, filter, { ...deleteOptions, jobId, isDistributed }),
      externalUsers: (applicationId, userOptions) =>
        repeatedRead(() => listExternalUsers(calls, applicationId, userOptions)),
    },
    deletions: { find: (jobId) => repeatedRead(() => findDeletion(calls, jobId)) },
    renewals: {
      begin: (renewal, leaseMs) => beginRenewal(calls, renewal, leaseMs),
      finish: (renewal, renewed) => finishRenewal(calls, renewal, renewed),
      refuse: (renewal, reason) => refuseRenewal(calls, renewal, reason),
      fail: (renewal, failure) => failRenewal(calls, renewal, failure),
      isUnderWay: (id) => repeatedRead(() => isRenewalUnderWay(calls, id)),
      due: (limit, exceptKinds) => repeatedRead(() => dueRenewals(control, limit, exceptKinds)),
    },
    revocations: {
      add: (revocation) => addRevocation(control, revocation),
      take: (owner, takeOptions) => takeRevocations(control, owner, takeOptions),
      keep: (revocation, sealed) => keepRevocation(control, revocation, sealed),
      end: (revocation) => endRevocation(control, revocation),
      fail: (revocation, pauseMs) => failRevocation(control, revocation, pauseMs),
      expire: (ageMs, limit) => expireRevocations(control, ageMs, limit),
      isHeld: (holder) => repeatedRead(() => isAccountHeld(control, holder)),
      isTokenHeld: (kind, digest) => repeatedRead(() => isTokenHeld(control, kind, digest)),
      isUsed: (connectorId, digest) =>
        repeatedRead(() => areCredentialsUsed(control, connectorId, digest)),
    },
    oauthApps: {
      put: (app) => putOAuthApp(control, app),
      find: (applicationId, kind) => repeatedRead(() => findOAuthApp(control, applicationId, kind)),
      list: (applicationId) => repeatedRead(() => listOAuthApps(control, applicationId)),
      delete: (applicationId, kind) => deleteOAuthApp(control, applicationId, kind),
      deleteOfDeleted: (ageMs, limit) => deleteOAuthAppsOfDeleted(control, ageMs, limit),
    },
    consents: {
      open: (consent, bounds) => openConsent(calls, consent, bounds),
      find: (stateHash) => repeatedRead(() => findConsent(calls, stateHash)),
      bind: (stateHash, browserHash) => bindConsent(calls, stateHash, browserHash),
      take: (stateHash, browserHash) => takeConsent(calls, stateHash, browserHash),
      deleteExpired: (ageMs, limit) => deleteExpiredConsents(control, ageMs, limit),
    },
    connectSessions: {
      create: (session, options) => createConnectSession(calls, session, options),
      find: (id) => repeatedRead(() => findConnectSession(calls, id)),
      list: (filter, page) => repeatedRead(() => listConnectSessions(calls, filter, page)),
      bind: (secretHash, browserHash) => bindConnectSession(calls, secretHash, browserHash),
      countAttempt: (id, most) => countSessionAttempt(calls, id, most),
      noteProblem: (id, problem) => noteSessionProblem(calls, id, problem),
      give: (id, given) => giveToConnectSession(calls, id, given),
      confirm: (id) => confirmConnectSession(calls, id),
      reopen: (id, problem) => reopenConnectSession(calls, id, problem),
      succeed: (id) => succeedConnectSession(calls, id),
      eraseExpired: (limit) => eraseExpiredCredentials(replication, limit),
      deleteOf: (owner) => deleteBegunFor(calls, owner),
      deleteOlderThan: (ageMs, limit) => deleteConnectSessionsOlderThan(replication, ageMs, limit),
    },
    signingKeys: {
      create: (key) => createSigningKey(control, key),
      list: () => repeatedRead(() => listSigningKeys(control)),
      deleteSucceeded: (ageMs) => deleteSucceededSigningKeys(control, ageMs),
      deleteOthers: (id) => deleteOtherSigningKeys(control, id),
    },
    revokedTokens: {
      add: (token, lifeMs) => addRevokedToken(control, token, lifeMs),
      list: () => repeatedRead(() => listRevokedTokens(control)),
      deleteExpired: (limit) => deleteExpiredTokens(control, limit),
    },
    consoleSessions: {
      open: (secretHash, session, bounds) =>
        openConsoleSession(calls, secretHash, { session, bounds }),
      use: (secretHash, idleMs) => useConsoleSession(calls, secretHash, idleMs),
      end: (secretHash) => endConsoleSession(calls, secretHash),
      deleteEnded: (idleMs, limit) => deleteEndedConsoleSessions(control, idleMs, limit),
    },
    idempotency: {
      begin: (intent) => beginIntent(calls, intent),
      finish: (intent, answer) => finishIntent(calls, intent, answer),
      release: (intent) => releaseIntent(calls, intent),
      deleteOlderThan: (ageMs, limit) => deleteIdempotencyKeysOlderThan(replication, ageMs, limit),
    },
    creations: {
      begin: (intent) => beginCreation(calls, intent),
      finish: (intent, answer) => finishCreation(calls, intent, answer),
      release: (intent) => releaseCreation(calls, intent),
      deleteOlderThan: (ageMs, limit) => deleteCreationsOlderThan(replication, ageMs, limit),
    },
    instances: {
      beat: (id, facts = {}) => beatInstance(control, id, facts),
      countWorkers: () => repeatedRead(() => countWorkers(control)),
      countWithoutKey: (keyId) => repeatedRead(() => countWithoutKey(control, keyId)),
      remove: (id) => removeInstance(control, id),
    },
    settings: {
      get: (name) => repeatedRead(() => findSetting(control, name)),
      ensure: (name, value) => ensureSetting(control, name, value),
    },
    sealedValues: {
      count: () => repeatedRead(() => countSealed(replication)),
      listUnlike: (head, page) => repeatedRead(() => listSealedUnlike(replication, head, page)),
      reseal: (value, resealed) => resealValue(replication, value, resealed),
    },
    copies: {
      search: (copy, search, options = {}) =>
        repeatedRead(async () =>
          searchCopy(openCopy(lanes.databases.searches, copies, copy), search, {
            ...options,
            connect: (signal) => lanes.oneSearch(signal, options),
          }),
        ),
      paths: (connectorId, entity) => repeatedRead(() => listPaths(calls, connectorId, entity)),
      unseenPaths: (copy, paths) =>
        repeatedRead(async () => findUnseen(openCopy(calls, copies, copy), paths)),
      parents: (copy, query) =>
        repeatedRead(async () => findParents(openCopy(replication, copies, copy), query)),
      merge: async (copy, record, options) =>
        mergeRecord(openCopy(calls, copies, copy), record, options),
    },
    stats: {
      add: (rows) => addStats(replication, rows),
      series: (query) => repeatedRead(() => listStats(calls, query)),
      deleteOlderThan: (ageMs, limit) => deleteStatsOlderThan(replication, ageMs, limit),
    },
    syncs: openSyncs(lanes.databases, copies),
    backup: () => encodeBackup(readParts(replication, makePace())),
    figures: () => readFigures(control),
    connectionUse: () => lanes.use(),
    searchedMs: () => lanes.searchedMs(),
    ping: async () => {
      await repeatedRead(() => sql`select 1`.execute(control));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
