/**
 * The contract of the storage layer: what the hosted service asks of its database, in terms that
 * know no HTTP. `openStore` (open-store.ts) is the only implementation, for both databases.
 *
 * Instants are `Date`, of whole milliseconds by the database's clock; ids are UUID text (those of
 * signing keys and instances may be any text). Nothing here ever holds a credential in clear:
 * callers pass and receive sealed text (compact JWE).
 *
 * What cannot be there is not found: an id that is no UUID, text with NUL or half of a surrogate
 * pair. To write such text is refused with `text_not_storable`. An id or client id that is taken,
 * and a reference to what does not exist, reject with the driver's error (SQLSTATE as `code`).
 */

import type { Account } from '@patchbay/connectors/engine';
import type { Applications } from './applications.ts';
import type { ConnectSessions } from './connect-sessions.ts';
import type { Begun, Consents, OAuthApps } from './consents.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { Copies } from './copies.ts';
import type { Deletions } from './deletions.ts';
import type { Figures } from './figures.ts';
import type { IssuedToken, Renewals, TokenTimes } from './renewals.ts';
import type { Revocations } from './revocations.ts';
import type { SealedValues } from './sealed-values.ts';
import type { Stats } from './stats.ts';
import type { Syncs } from './syncs.ts';
import type { Lane, LaneUse } from './lane-use.ts';

/** Documented differences between databases; nothing else may ask which one it talks to. */
export interface DatabaseProfile {
  /** For messages and logs. */
  readonly name: 'embedded PGlite' | 'PostgreSQL';
  /** One process alone uses the database, so work that another process left open is orphaned. */
  readonly isExclusive: boolean;
  /** All connections share one session: no session settings, session locks, temp tables, named statements. */
  readonly sharesOneSession: boolean;
  /** Each connection is a session of its own, which keeps statements that are prepared in it: none is behind a pooler. */
  readonly keepsStatements: boolean;
  /**
   * Its tables are spread over the nodes of a Citus cluster by connector: what is asked of one connector is
   * asked of one node, and no node knows the statistics of the others.
   */
  readonly isDistributed: boolean;
}

export interface Organization {
  readonly id: string;
  readonly name: string;
}

/** A connector's own state; `isPaused` and `isDisabled` are kept apart, since it still has one then. */
export type ConnectorState = 'pending' | 'active' | 'degraded' | 'reauth_required';

/** What a connector is taken for: what somebody has switched off hides the state that it has. */
export type ConnectorStatus = ConnectorState | 'paused' | 'disabled';

/** Credentials that a person has given, ready to be stored. */
export interface GivenCredentials extends Partial<IssuedToken> {
  /** Name of the auth method they belong to. */
  readonly authMethod: string;
  /** Compact JWE. */
  readonly sealedCredentials: string;
  /** Equal for equal credentials of the connector; made with a key, so that it tells nothing of them. */
  readonly credentialsDigest: string;
  /** They are revoked upstream once the connector no longer needs them; not unless said. */
  readonly isRevocable?: boolean;
  /** They are renewed without a person; not known unless said. */
  readonly isRenewable?: boolean;
}

export interface ConnectorRow extends TokenTimes {
  readonly id: string;
  readonly applicationId: string;
  readonly organizationId: string;
  readonly externalUserId: string;
  readonly kind: string;
  readonly name: string;
  readonly state: ConnectorState;
  /** It is not copied. */
  readonly isPaused: boolean;
  /** It is not copied, and nothing may be asked of it. */
  readonly isDisabled: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  readonly replicationConfig: Readonly<Record<string, unknown>> | null;
  readonly authMethod: string;
  /** Compact JWE; a renewal changes it. */
  readonly sealedCredentials: string;
  /**
   * Raised by credentials that are, or may be, somebody else's: what asks whose they are compares it,
   * never the sealed text.
   */
  readonly credentialsEpoch: number;
  /** Of the credentials as they were last given; null where version 0.1 stored them. */
  readonly credentialsDigest: string | null;
  /** Null until the upstream has said whose the credentials are. */
  readonly account: Account | null;
  /** Counts every change of the row; a cache entry with a lower number is stale. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastSyncedAt: Date | null;
  /** When the access token was last issued to us; null where a person gave it. */
  readonly renewedAt: Date | null;
  /** Why the connector is in its state, for people, where that is known; holds no secret. */
  readonly stateReason: string | null;
  readonly isRevocable: boolean;
  /** Null where it is not known. */
  readonly isRenewable: boolean | null;
}

export interface ConnectorFilter {
  /** Of all applications, unless given. */
  readonly applicationId?: string;
  readonly externalUserId?: string;
  readonly kind?: string;
  readonly status?: ConnectorStatus;
  /**
   * Only those with this text in their name, external user, or what is known of their account, whatever is a
   * capital letter.
   */
  readonly contains?: string;
  /** Only these ids, where given. */
  readonly ids?: readonly string[];
}

export interface ConnectorChange {
  readonly name?: string;
  readonly state?: ConnectorState;
  /** Why it is in that state. */
  readonly stateReason?: string;
  readonly isPaused?: boolean;
  readonly isDisabled?: boolean;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly replicationConfig?: Readonly<Record<string, unknown>> | null;
  /** Others than before. */
  readonly credentials?: GivenCredentials;
  /**
   * They are, or may be, somebody else's: the epoch rises, and the copy is hidden at once, with all that
   * is known of its reads. Whoever syncs the connector loses the lease, and nobody gets one until
   * `syncs.clearSome` has deleted what was copied.
   */
  readonly replacesAccount?: true;
  /** Those from before are nobody's any more, and revoked where they are to be. */
  readonly revokesReplaced?: true;
  readonly account?: Account | null;
  /** The same credentials, renewed. */
  readonly sealedCredentials?: string;
  /** Of the same credentials, where it was not known. */
  readonly credentialsDigest?: string;
}

export interface SigningKey {
  readonly id: string;
  /** Compact JWE of the key's bytes. */
  readonly sealedKey: string;
}

/** A signing key that is stored. */
export interface StoredSigningKey extends SigningKey {
  /** By the database's clock; negative where that clock was ahead when the key was made. */
  readonly ageMs: number;
}

/** A token that is good for nothing any more. */
export interface RevokedToken {
  /** A UUID. */
  readonly jti: string;
  /** The id of the application whose tokens alone are meant, or `operator`: those of any. */
  readonly revokedBy: string;
}

/** What is known of a write that carries an `Idempotency-Key`. */
export interface IdempotencyRecord {
  /** Digest of the request; another one under the same key is a misuse. */
  readonly fingerprint: string;
  /** `null`: the intent is stored, the outcome is not. */
  readonly answer: StoredAnswer | null;
  readonly instanceId: string;
  /** As of its intent; null of one of an older process. */
  readonly callNumber: number | null;
  /** Whether the instance that started it still reports itself alive. */
  readonly isOwnerAlive: boolean;
}

export interface StoredAnswer {
  readonly status: number;
  /** The answer's body, JSON text, exactly as it was sent. */
  readonly body: string;
}

/** What is to happen once under its key. */
export interface Intent {
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly instanceId: string;
  /** Of the call that it is of, among those of the process, each of which has a greater one than those before. */
  readonly callNumber: number;
  /**
   * Whether it replaces an intent of an earlier call of the same process, with the same request, that has no answer:
   * the process knows then that nothing was sent for it.
   */
  readonly replacesOwn: boolean;
}

/** What tells an intent from those of other calls. */
export type IntentOfCall = Pick<Intent, 'scope' | 'key'> &
  Pick<IdempotencyRecord, 'instanceId' | 'callNumber'>;

/** Intents of what happens once per key, with the answers. */
export interface Intents {
  /**
   * Stores the intent if the (scope, key) is new, or what is there is to be replaced: `undefined`. Otherwise
   * returns what is there. Records older than 24 h count as absent.
   */
  begin(intent: Intent): Promise<IdempotencyRecord | undefined>;
  /** Stores the answer to a call, unless there is one already, or its intent has gone; another call's stays. */
  finish(intent: IntentOfCall, answer: StoredAnswer): Promise<void>;
  /** Forgets the intent of a call that surely came to nothing; a finished record stays, and another call's intent. */
  release(intent: IntentOfCall): Promise<void>;
}

/** How many connectors there may be. */
export interface ConnectorQuotas {
  readonly perExternalUser: number;
  readonly perApplication: number;
}

/** What a running process says of itself. */
export interface InstanceFacts {
  /** It copies records; not unless said. */
  readonly isWorker?: boolean;
  /** The ids of the master keys that it has; none unless said. */
  readonly masterKeys?: readonly string[];
}

/** Values that a database keeps for all its processes, by name. */
export interface KnownSettings {
  get(name: string): Promise<string | undefined>;
}

/** Storage of the hosted service. Every method is one statement or one short transaction. */
export interface Store {
  readonly profile: DatabaseProfile;

  readonly organizations: {
    /** Where that id is taken, nothing changes. */
    create(organization: Organization): Promise<void>;
    /** Oldest first. */
    list(): Promise<readonly Organization[]>;
  };

  readonly applications: Applications;

  readonly connectors: {
    /**
     * Rejects with `external_user_full` or `application_full` where there are as many already as
     * `most` allows; those that are created at the same moment, by any process, count. Rejects with `begun_ended`
     * where it is made of what has ended, and else with `application_revoked`. Its first run is asked for with it, by
     * the id given; without one it is due by the schedule, at once.
     */
    create(
      connector: Omit<
        ConnectorRow,
        | keyof GivenCredentials
        | 'credentialsEpoch'
        | 'revision'
        | 'createdAt'
        | 'updatedAt'
        | 'lastSyncedAt'
        | 'renewedAt'
        | 'state'
        | 'stateReason'
        | 'isPaused'
        | 'isDisabled'
        | 'organizationId'
        | 'account'
      > &
        GivenCredentials & { readonly account?: Account | null; readonly firstRunId?: string },
      most?: ConnectorQuotas,
      begun?: Begun,
    ): Promise<ConnectorRow>;
    find(id: string): Promise<ConnectorRow | undefined>;
    /** By (createdAt, id) ascending, after the given position, at most `limit`. */
    list(
      filter: ConnectorFilter,
      page: {
        readonly after?: { readonly createdAt: Date; readonly id: string };
        readonly limit: number;
      },
    ): Promise<readonly ConnectorRow[]>;
    /**
     * Applies the change and returns the new row; `undefined` when it is gone. With `ifRevision` or
     * `ifEpoch`, nothing changes (and `undefined` comes back) unless the row still has that revision, or
     * its credentials that epoch; nor, with `ifNotRenewed`, while somebody renews its credentials. Rejects with
     * `begun_ended` where it comes of what has ended.
     */
    update(
      id: string,
      change: ConnectorChange,
      options?: {
        readonly ifRevision?: number;
        readonly ifEpoch?: number;
        readonly ifNotRenewed?: boolean;
        readonly begun?: Begun;
      },
    ): Promise<ConnectorRow | undefined>;
    /**
     * Marks it deleted, destroys its credentials and forgets its idempotency records in one
     * transaction; returns the job id, or `undefined` when it is gone. Of many calls one succeeds.
     * Credentials that are to be revoked are among `revocations` from then on, unless they are left.
     */
    delete(
      id: string,
      jobId: string,
      options?: { readonly leavesCredentials?: boolean },
    ): Promise<string | undefined>;
    /**
     * Deletes at most `limit` connectors of an application, or of one of its external users, as `delete` would each: in
     * one transaction, or one after another where they are on several nodes. Returns the ids of those that it found,
     * and how many of them no other call had deleted meanwhile; nobody is left where it finds none.
     */
    deleteSome(
      filter: { readonly applicationId: string; readonly externalUserId?: string },
      jobId: string,
      options: { readonly leavesCredentials?: boolean; readonly limit: number },
    ): Promise<{ readonly ids: readonly string[]; readonly deleted: number }>;
    /**
     * Distinct external users of an application whose id contains the text (literally, heeding
     * case), by code point, at most `limit`.
     */
    externalUsers(
      applicationId: string,
      options: {
        readonly contains?: string;
        readonly externalUserId?: string;
        readonly limit: number;
      },
    ): Promise<readonly string[]>;
  };

  readonly deletions: Deletions;

  readonly renewals: Renewals;

  readonly revocations: Revocations;
  readonly oauthApps: OAuthApps;

  readonly consents: Consents;

  readonly connectSessions: ConnectSessions;

  readonly signingKeys: {
    create(key: SigningKey): Promise<void>;
    /** Newest first. */
    list(): Promise<readonly StoredSigningKey[]>;
    /**
     * Deletes the keys that have had a newer one beside them for at least that long, and returns
     * how many there were. So a clock that leaps ahead takes no key that still signed a moment ago.
     */
    deleteSucceeded(ageMs: number): Promise<number>;
    /** Deletes all others. */
    deleteOthers(id: string): Promise<number>;
  };

  readonly revokedTokens: {
    /** Until then; a second time changes nothing. */
    add(token: RevokedToken, lifeMs: number): Promise<void>;
    /** Those that would not have ended yet. */
    list(): Promise<readonly RevokedToken[]>;
    /** Forgets at most `limit` of those that have ended by themselves; returns how many there were. */
    deleteExpired(limit: number): Promise<number>;
  };

  readonly consoleSessions: ConsoleSessions;

  /** Of writes; the scope of their keys is their connector's id, with which they go. */
  readonly idempotency: Intents & {
    /** Deletes at most `limit` of those that were begun at least that long ago; returns how many there were. */
    deleteOlderThan(ageMs: number, limit: number): Promise<number>;
  };

  /** What creating calls made, by whoever asked and what for; the answers are sealed by the caller. */
  readonly creations: Intents & {
    /** Deletes at most `limit` of those that were begun at least that long ago; returns how many there were. */
    deleteOlderThan(ageMs: number, limit: number): Promise<number>;
  };

  readonly instances: {
    /** Reports a running process alive, and tells what the database's clock says; the first call registers it. */
    beat(id: string, facts?: InstanceFacts): Promise<Date>;
    /** How many that copy records have done so within 15 s, and not left since. */
    countWorkers(): Promise<number>;
    /** How many that do not have the master key of that id have reported themselves alive within 15 s. */
    countWithoutKey(keyId: string): Promise<number>;
    remove(id: string): Promise<void>;
  };

  readonly settings: KnownSettings & {
    /** Stores the value unless the name is taken; returns the value that is there afterwards. */
    ensure(name: string, value: string): Promise<string>;
  };

  readonly sealedValues: SealedValues;

  /** The searchable copies of upstream records. */
  readonly copies: Copies;

  /** State of replication. */
  readonly syncs: Syncs;

  /** What happened, by the minute. */
  readonly stats: Stats;

  /**
   * The bytes of a backup, made as they are read, while others use the database: `restoreBackup` makes a
   * database of them. Everything but copies is as it was at one moment after the call.
   */
  backup(): AsyncIterable<Uint8Array>;

  /** What the database knows of all processes together; it counts, which takes a while where there is much. */
  figures(): Promise<Figures>;
  /** What the connections of this process are at, by lane. */
  connectionUse(): Readonly<Record<Lane, LaneUse>>;
  /**
   * Milliseconds, of any beginning, that searches have had the database, but for long ones: what they waited for
   * others is left out where they take turns, as before the embedded one. Elsewhere it is a monotonic clock.
   */
  searchedMs(): number;

  /** Rejects when the database cannot answer: `database_unreachable`, or the driver's error. */
  ping(): Promise<void>;
  /** Lets running statements finish for a few seconds; later calls wait for the first one. */
  close(): Promise<void>;
}
