import { sql as tenantsAndConnectors } from './0001-tenants-and-connectors.ts';
import { sql as replication } from './0002-replication.ts';
import { sql as copies } from './0003-copies.ts';
import { sql as credentialsEpoch } from './0004-credentials-epoch.ts';
import { sql as dueByApplication } from './0005-due-by-application.ts';
import { sql as observedPaths } from './0006-observed-paths.ts';
import { sql as renewals } from './0007-renewals.ts';
import { sql as accounts } from './0008-accounts.ts';
import { sql as applications } from './0009-applications.ts';
import { sql as creations } from './0010-creations.ts';
import { sql as revocations } from './0011-revocations.ts';
import { sql as consent } from './0012-consent.ts';
import { sql as connectSessions } from './0013-connect-sessions.ts';
import { sql as workers } from './0014-workers.ts';
import { sql as disabledConnectors } from './0015-disabled-connectors.ts';
import { sql as revokedTokens } from './0016-revoked-tokens.ts';
import { sql as runHistoryAndStats } from './0017-run-history-and-stats.ts';
import { sql as consoleSessions } from './0018-console-sessions.ts';
import { sql as instanceKeys } from './0019-instance-keys.ts';
import { sql as syncQueue } from './0020-sync-queue.ts';
import { sql as connectSessionsByCreation } from './0021-connect-sessions-by-creation.ts';
import { sql as distribution } from './0022-distribution.ts';
import { sql as driftOfCopies } from './0023-drift-of-copies.ts';
import { sql as parentsOfCopies } from './0024-parents-of-copies.ts';
import { sql as jobs } from './0025-jobs.ts';
import { sql as sharedTokens } from './0026-shared-tokens.ts';
import { sql as revocationsByApplication } from './0027-revocations-by-application.ts';
import { sql as whatIsBegun } from './0028-what-is-begun.ts';
import { sql as numbersOfIntents } from './0029-numbers-of-intents.ts';

/** One step of the schema, never changed once released. */
export interface Migration {
  /** Counts from 1, without gaps. */
  readonly number: number;
  readonly name: string;
  /** Statements, run together in one transaction. */
  readonly sql: string;
}

/** Every migration, in order. */
export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: 'tenants-and-connectors', sql: tenantsAndConnectors },
  { number: 2, name: 'replication', sql: replication },
  { number: 3, name: 'copies', sql: copies },
  { number: 4, name: 'credentials-epoch', sql: credentialsEpoch },
  { number: 5, name: 'due-by-application', sql: dueByApplication },
  { number: 6, name: 'observed-paths', sql: observedPaths },
  { number: 7, name: 'renewals', sql: renewals },
  { number: 8, name: 'accounts', sql: accounts },
  { number: 9, name: 'applications', sql: applications },
  { number: 10, name: 'creations', sql: creations },
  { number: 11, name: 'revocations', sql: revocations },
  { number: 12, name: 'consent', sql: consent },
  { number: 13, name: 'connect-sessions', sql: connectSessions },
  { number: 14, name: 'workers', sql: workers },
  { number: 15, name: 'disabled-connectors', sql: disabledConnectors },
  { number: 16, name: 'revoked-tokens', sql: revokedTokens },
  { number: 17, name: 'run-history-and-stats', sql: runHistoryAndStats },
  { number: 18, name: 'console-sessions', sql: consoleSessions },
  { number: 19, name: 'instance-keys', sql: instanceKeys },
  { number: 20, name: 'sync-queue', sql: syncQueue },
  { number: 21, name: 'connect-sessions-by-creation', sql: connectSessionsByCreation },
  { number: 22, name: 'distribution', sql: distribution },
  { number: 23, name: 'drift-of-copies', sql: driftOfCopies },
  { number: 24, name: 'parents-of-copies', sql: parentsOfCopies },
  { number: 25, name: 'jobs', sql: jobs },
  { number: 26, name: 'shared-tokens', sql: sharedTokens },
  { number: 27, name: 'revocations-by-application', sql: revocationsByApplication },
  { number: 28, name: 'what-is-begun', sql: whatIsBegun },
  { number: 29, name: 'numbers-of-intents', sql: numbersOfIntents },
];
