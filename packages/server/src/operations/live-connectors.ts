import { ConnectorError, type Clock, type ConnectorKind } from '@patchbay/connectors';
import {
  ConnectorEngine,
  NoCredentialsError,
  renewalGrantOf,
  RenewingCredentials,
  type Authorize,
  type CheckedCredentials,
  type UpstreamObserver,
  untilAborted,
  wellFormedText,
} from '@patchbay/connectors/engine';
import { isUuid, type ConnectorRow, type ConnectorState, type Store } from '@patchbay/store';
import { reaches, type Access } from '../access/access.ts';
import { FreshCache } from '../fresh-cache.ts';
import type { Logger } from '../log.ts';
import type { ObservedUpstream } from '../observed-connector.ts';
import { Renewer, type RenewerParts } from '../renewal/renewer.ts';
import {
  areLost,
  areSameCredentials,
  lostCredentials,
  openUnlessDamaged,
} from '../vault/connector-credentials.ts';
import type { Vault } from '../vault/vault.ts';
import { hasSameCredentials, type LiveConnector } from './live-connector.ts';
import type { ServedKinds } from './served-kinds.ts';
import { UnreachableLines } from './unreachable-lines.ts';
import {
  addressOf,
  engineUpstream,
  refusalOf,
  requireInPlace,
  type UpstreamSettings,
} from './upstreams.ts';

export interface LiveConnectorsParts {
  readonly store: Pick<Store, 'connectors' | 'profile' | 'renewals'>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly upstreams: UpstreamSettings;
  readonly kinds: ServedKinds;
  readonly clientOf: RenewerParts['clientOf'];
  /** What watches the upstream of a connector. */
  readonly observerOf?: ((connector: ObservedUpstream) => UpstreamObserver) | undefined;
  /** Whether credentials are renewed here, as they are unless said; others may do it instead. */
  readonly renews?: boolean | undefined;
}

/** Whose calls an engine makes. */
interface EngineOwner {
  readonly authorize: Authorize;
  readonly config: Readonly<Record<string, unknown>>;
  readonly observed: ObservedUpstream;
}

interface MoveOptions {
  readonly from?: readonly ConnectorState[];
  readonly reason?: string;
}

const MAX_CACHED = 10_000;
/** Changes by other processes are noticed within this time. */
const SHARED_AGE = { refreshAfterMs: 200, maxAgeMs: 400 };
/** A process that has the database for itself sees its own changes at once. */
const EXCLUSIVE_AGE = { refreshAfterMs: 2_000, maxAgeMs: 4_000 };
const UPDATE_ATTEMPTS = 5;

/** Connectors by id: row, opened credentials and engine in memory, compared with the row often. */
export class LiveConnectors {
  readonly #parts: LiveConnectorsParts;
  readonly #cache: FreshCache<LiveConnector>;
  readonly #renewer: Renewer | undefined;
  readonly #unreachable: UnreachableLines;
  /** Moves that are under way, by the credentials of which they tell; and by the state and by whose account those are. */
  readonly #moves = new WeakMap<LiveConnector['credentials'], Map<string, Promise<void>>>();

  constructor(parts: LiveConnectorsParts) {
    this.#parts = parts;
    this.#unreachable = new UnreachableLines(parts);
    if (parts.renews !== false)
      this.#renewer = new Renewer({
        ...parts,
        newest: (id) => this.findNewest(id),
      });
    this.#cache = new FreshCache({
      clock: parts.clock,
      maxEntries: MAX_CACHED,
      ...(parts.store.profile.isExclusive ? EXCLUSIVE_AGE : SHARED_AGE),
      load: (id, known) => this.#load(id, known),
      onRefreshError: (err) => parts.logger.warn({ err }, 'A connector could not be looked up.'),
    });
  }

  /**
   * The connector of that id; at once where memory has it.
   *
   * @throws `connector_not_found` also for one that is out of reach.
   */
  require(access: Access, id: string): LiveConnector | Promise<LiveConnector> {
    if (!isUuid(id)) throw connectorNotFound(id);
    const canonical = id.toLowerCase();
    if (!this.#isKnownWithin(access, canonical)) return this.#requireUnknown(access, canonical);
    const found = this.#cache.get(canonical);
    return found instanceof Promise
      ? found.then((each) => requireWithin(access, canonical, each))
      : requireWithin(access, canonical, found);
  }

  /**
   * The same, from what the database has now.
   *
   * @throws `connector_not_found`.
   */
  async requireNewest(access: Access, id: string): Promise<LiveConnector> {
    if (!isUuid(id)) throw connectorNotFound(id);
    const canonical = id.toLowerCase();
    if (!this.#isKnownWithin(access, canonical)) await this.#requireUnknown(access, canonical);
    return requireWithin(access, canonical, await this.#cache.reload(canonical));
  }

  #isKnownWithin(access: Access, id: string): boolean {
    const known = this.#cache.peek(id);
    return known !== undefined && reaches(access, known.row);
  }

  /**
   * Asks the database once, for an absent connector as for one out of reach: that memory has the one
   * and not the other, or that its credentials have to be opened first, could be told by the time.
   */
  async #requireUnknown(access: Access, id: string): Promise<LiveConnector> {
    const row = await this.#parts.store.connectors.find(id);
    if (row === undefined || !reaches(access, row)) throw connectorNotFound(id);
    return requireWithin(access, id, await this.#cache.get(id));
  }

  /** The connector of that id, whoever owns it: for work that no caller asked for. */
  find(id: string): LiveConnector | Promise<LiveConnector | undefined> {
    return this.#cache.get(id);
  }

  /** What memory has of it, however old that is. */
  known(id: string): LiveConnector | undefined {
    return this.#cache.peek(id);
  }

  /** The same, from what the database has now. */
  findNewest(id: string): Promise<LiveConnector | undefined> {
    return this.#cache.reload(id);
  }

  /** What a row has; nothing is looked up, nor remembered, for a list may have thousands of them. */
  async credentialsOf(row: ConnectorRow): Promise<CheckedCredentials> {
    return (await this.#open(row, this.#cache.peek(row.id)))();
  }

  /** Makes a connector live from its newest row; `known` is what it was before. */
  async adopt(row: ConnectorRow, known?: LiveConnector): Promise<LiveConnector> {
    this.#cache.forget(row.id);
    const live = this.#build(row, known);
    await this.#cache.reload(row.id, () => live);
    return await live;
  }

  /** Renews credentials ahead of their end, where that is due and nobody else is at it. */
  async renew(id: string): Promise<void> {
    const connector = await this.findNewest(id);
    if (connector === undefined) return;
    const { row, credentials } = connector;
    if (refusalOf(this.#parts.upstreams, row.kind, credentials()) !== undefined) return;
    await this.#renewer?.renewOnce(connector);
  }

  /** Resolves once no renewal is under way. */
  async renewalsSettled(): Promise<void> {
    await this.#renewer?.settled();
  }

  forget(id: string): void {
    this.#cache.forget(id);
  }

  /**
   * Moves a connector to another state, unless its credentials have changed since `seen`: what
   * was learnt about the old ones says nothing of the new; nor does a refusal of those that have been
   * renewed since. A failure is logged only, since the call that led here has its own outcome. Calls that
   * learn the same of the same credentials at once move it once.
   *
   * @param options.from Only if it is in one of these states; in any, unless said.
   * @param options.reason Why, for people.
   */
  moveTo(state: ConnectorState, seen: LiveConnector, options: MoveOptions = {}): Promise<void> {
    if (options.from !== undefined) return this.#move(state, seen, options);
    const moves = this.#moves.get(seen.credentials) ?? new Map<string, Promise<void>>();
    this.#moves.set(seen.credentials, moves);
    const move = `${state} ${seen.row.credentialsEpoch}`;
    const underWay = moves.get(move);
    if (underWay !== undefined) return underWay;
    const moving = this.#move(state, seen, options).finally(() => moves.delete(move));
    moves.set(move, moving);
    return moving;
  }

  async #move(state: ConnectorState, seen: LiveConnector, options: MoveOptions): Promise<void> {
    const { connectors } = this.#parts.store;
    const change = {
      state,
      ...(options.reason === undefined ? {} : { stateReason: wellFormedText(options.reason) }),
    };
    try {
      let { row } = seen;
      // Whoever was first may have moved it already.
      const known = this.#cache.peek(row.id);
      if (known !== undefined && known.row.revision > row.revision) {
        if (!isOfSame(seen, known, state)) return;
        row = known.row;
      }
      for (let attempt = 1; attempt <= UPDATE_ATTEMPTS && row.state !== state; attempt++) {
        if (options.from?.includes(row.state) === false) return;
        const updated = await connectors.update(row.id, change, { ifRevision: row.revision });
        const newest = await this.#takeOver(row.id, updated);
        if (updated !== undefined || newest === undefined) return;
        if (!isOfSame(seen, newest, state)) return;
        row = newest.row;
      }
    } catch (err) {
      const { id } = seen.row;
      this.#parts.logger.error({ err, connector_id: id, state }, 'A state could not be stored.');
    }
  }

  /** Takes a row over that this process has just changed, unless memory has a newer one. */
  async takeOver(row: ConnectorRow): Promise<void> {
    await this.#takeOver(row.id, row);
  }

  async #takeOver(
    id: string,
    updated: ConnectorRow | undefined,
  ): Promise<LiveConnector | undefined> {
    if (updated === undefined) return this.#cache.reload(id);
    // What memory does not have may have been deleted since.
    return this.#cache.reload(id, (_, known) =>
      known === undefined ? this.#load(id, known) : this.#build(updated, known),
    );
  }

  async #load(id: string, known: LiveConnector | undefined): Promise<LiveConnector | undefined> {
    const row = await this.#parts.store.connectors.find(id);
    return row === undefined ? undefined : this.#build(row, known);
  }

  async #build(row: ConnectorRow, known: LiveConnector | undefined): Promise<LiveConnector> {
    if (known !== undefined && known.row.revision >= row.revision) return known;
    const credentials = await this.#open(row, known);
    if (known !== undefined && hasSameEngine(known.row, row)) return { ...known, row, credentials };
    const kind = this.#parts.kinds.find(row.kind);
    const engine = this.#makeEngine(kind, {
      authorize: this.#authorize(row, credentials),
      config: row.config,
      observed: { id: row.id, applicationId: row.applicationId, kind: row.kind },
    });
    return { row, kind, engine, credentials };
  }

  /**
   * What the newest row of the connector has, as long as those are the same credentials, renewed. A call
   * that was begun with others goes on with what it knows; one of a connector that is deleted by now sends nothing more.
   */
  #authorize(
    { id, kind, credentialsEpoch }: ConnectorRow,
    first: LiveConnector['credentials'],
  ): Authorize {
    let known = first;
    return (signal, refused) => {
      const use = (newest: LiveConnector | undefined) => {
        if (newest === undefined) throw deleted();
        const isSame = newest.row.credentialsEpoch === credentialsEpoch;
        if (isSame) known = newest.credentials;
        // Before they are renewed, which would send them.
        this.#requireUsable(kind, known());
        return (isSame ? this.#renewer?.usable(newest, signal, refused) : undefined) ?? known();
      };
      const newest = this.#cache.get(id);
      if (!(newest instanceof Promise)) return use(newest);
      return untilAborted(newest, signal).then(use, (err: unknown) => {
        signal.throwIfAborted();
        this.#parts.logger.warn({ err, connector_id: id }, 'A connector could not be looked up.');
        this.#requireUsable(kind, known());
        return known();
      });
    };
  }

  /** @throws NoCredentialsError for those that are not sent: lost ones, and such as belong to another upstream. */
  #requireUsable(kind: string, credentials: CheckedCredentials): void {
    if (areLost(credentials))
      throw new NoCredentialsError(
        'credentials_rejected',
        'What is stored of the credentials does not open; it was changed in the database. Give them again.',
      );
    requireInPlace(this.#parts.upstreams, kind, credentials);
  }

  /** Where they are lost, all that needs none goes on: above all, others are given, or the connector is deleted. */
  async #open(
    row: ConnectorRow,
    known: LiveConnector | undefined,
  ): Promise<LiveConnector['credentials']> {
    if (known?.row.sealedCredentials === row.sealedCredentials) return known.credentials;
    const readable = await openUnlessDamaged(this.#parts.vault, row);
    if (readable === undefined)
      this.#parts.logger.error({ connector_id: row.id }, 'Stored credentials do not open.');
    const opened = readable ?? lostCredentials(row);
    // Sealed with another key: what is compared with them has them as they were.
    if (known !== undefined && areSameCredentials(known.credentials(), opened))
      return known.credentials;
    return () => opened;
  }

  /** Whether its calls would leave the address that they have gone to, if they have. */
  wouldLeave({ kind, row }: LiveConnector, config: ConnectorRow['config']): boolean {
    const { upstreams } = this.#parts;
    const address = addressOf(kind, upstreams, row.config);
    const mayHaveCalled = address !== undefined || row.account !== null;
    return mayHaveCalled && address !== addressOf(kind, upstreams, config);
  }

  /** An engine to try credentials with before they are stored; it asks for a first token where they have none. */
  makeTrialEngine(
    kind: ConnectorKind,
    credentials: CheckedCredentials,
    config: Readonly<Record<string, unknown>>,
  ): ConnectorEngine {
    const authorize = this.#authorizeTrial(kind, credentials, config);
    const authorizeInPlace: Authorize = (signal, refused) => {
      this.#requireUsable(kind.kind, credentials);
      return authorize(signal, refused);
    };
    const observed = { kind: kind.kind };
    return this.#makeEngine(kind, { authorize: authorizeInPlace, config, observed });
  }

  #authorizeTrial(
    kind: ConnectorKind,
    credentials: CheckedCredentials,
    config: Readonly<Record<string, unknown>>,
  ): Authorize {
    const { clock, upstreams } = this.#parts;
    if (renewalGrantOf(kind, { credentials }) !== 'client_credentials') return () => credentials;
    const { baseUrl } = engineUpstream(kind, upstreams);
    const random = Math.random;
    const parts = { kind, config, baseUrl, clock, credentials, random };
    return new RenewingCredentials({ ...parts, onCredentialsChanged: undefined }).authorize;
  }

  /** An engine as connectors of this service have it. */
  #makeEngine(kind: ConnectorKind, { authorize, config, observed }: EngineOwner): ConnectorEngine {
    const { clock, logger, upstreams, observerOf } = this.#parts;
    return new ConnectorEngine({
      kind,
      authorize,
      config,
      clock,
      observer: observerOf?.(observed),
      ...engineUpstream(kind, upstreams),
      onUnreachable: (told) => this.#unreachable.tell(kind.kind, told),
      onDrift: ({ entity, action, unknownFields, unknownNames, lostValues }) =>
        logger.debug(
          {
            kind: kind.kind,
            entity,
            action,
            unknown_fields: unknownFields,
            unknown_names: unknownNames,
            lost_values: lostValues,
          },
          'The upstream sent what the definition does not know.',
        ),
    });
  }
}

/** Whether what was learnt of the credentials seen, that they work or are refused, says anything of the newer ones. */
function isOfSame(seen: LiveConnector, newer: LiveConnector, state: ConnectorState): boolean {
  if (newer.row.credentialsEpoch !== seen.row.credentialsEpoch) return false;
  return state !== 'reauth_required' || hasSameCredentials(seen, newer);
}

function hasSameEngine(a: ConnectorRow, b: ConnectorRow): boolean {
  return (
    a.credentialsEpoch === b.credentialsEpoch &&
    JSON.stringify(a.config) === JSON.stringify(b.config)
  );
}

/** @throws `connector_not_found` where there is none within reach. */
export function requireWithin(
  access: Access,
  id: string,
  live: LiveConnector | undefined,
): LiveConnector {
  if (live !== undefined && reaches(access, live.row)) return live;
  throw connectorNotFound(id);
}

export function connectorNotFound(id: string): ConnectorError<'connector_not_found'> {
  const shown = id.slice(0, 64);
  return new ConnectorError(
    'connector_not_found',
    { id: shown },
    { message: `No connector within reach has the id ${JSON.stringify(shown)}.` },
  );
}

function deleted(): NoCredentialsError {
  return new NoCredentialsError(
    'credentials_rejected',
    'The connector has been deleted, and its credentials with it.',
  );
}
