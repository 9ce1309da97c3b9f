import {
  ConnectorError,
  isConnectorError,
  type Clock,
  type Entity,
  type Fault,
} from '@patchbay/connectors';
import {
  beginStretch,
  type CallTimes,
  faultText,
  SEARCH_LIMITS,
  untilAborted,
  type Search,
} from '@patchbay/connectors/engine';
import { startDeadline } from '@patchbay/connectors/definitions';
import type { CopyId, Store } from '@patchbay/store';
import type { Admission } from '../admission/admission.ts';
import type { QuickSearch } from '../admission/quick-time.ts';
import type { Vault } from '../vault/vault.ts';
import { CallAbortedError, type ActiveCalls, type OnDisconnect } from './active-calls.ts';
import type { CallDeadline } from './call-deadline.ts';
import { freshnessOf } from './freshness.ts';
import type { LiveConnector } from './live-connector.ts';
import { connectorNotFound, type LiveConnectors } from './live-connectors.ts';
import type { Found } from './outcome.ts';
import { openCursor, sealCursor } from './search-cursor.ts';
import { requireReady } from './search-readiness.ts';
import { warnOfUnseenPaths } from './unseen-paths.ts';

/** A search whose params have been checked. */
export interface SearchCall {
  readonly connector: LiveConnector;
  readonly entity: Entity;
  readonly search: Search;
  readonly deadline: CallDeadline;
  readonly times?: CallTimes | undefined;
  readonly onDisconnect: OnDisconnect;
}

export interface SearcherParts {
  readonly store: Pick<Store, 'copies' | 'instances' | 'syncs'>;
  /** Signs the cursors that go out. */
  readonly vault: Vault;
  readonly admission: Pick<Admission, 'search'>;
  readonly activeCalls: ActiveCalls;
  readonly live: Pick<LiveConnectors, 'find'>;
  readonly clock: Clock;
}

/**
 * Answers searches from the copies. Neither config nor state of the connector matter: what has been
 * copied can be searched, and the answer says how fresh it is.
 *
 * @see docs/wire.md#search
 */
export class Searcher {
  readonly #parts: SearcherParts;

  constructor(parts: SearcherParts) {
    this.#parts = parts;
  }

  /**
   * @throws `invalid_params` for more time than the call has; `search_not_ready`, `invalid_cursor`,
   * `search_too_broad`; `connector_not_found` where it is deleted meanwhile; `rate_limited` where others of the user take all its turns;
   * `upstream_timeout` when its time is over, or at the deadline, `not_ready` where that passes
   * before the copy is asked;
   * CallAbortedError when the client has gone.
   */
  search(call: SearchCall): Promise<Found> {
    return this.#parts.activeCalls.run((signal) => this.#find(call, signal), call.onDisconnect);
  }

  async #find(call: SearchCall, signal: AbortSignal): Promise<Found> {
    const { admission, clock, store, vault } = this.#parts;
    const { connector, entity } = call;
    requireWithinDeadline(call);
    const { row } = connector;
    const copy: CopyId = { connectorId: row.id, kind: connector.kind.kind, entity: entity.name };
    const given = call.search.cursor;
    const cursor = given === undefined ? undefined : openCursor(vault, copy, given);
    using deadline = startDeadline(clock, call.deadline.leftMs(), signal);
    const turn = { hasCome: false, endWait: () => {} };
    try {
      // Read first: what is committed in between makes the hits fresher than they say, never staler.
      const [sync] = await call.deadline.within(store.syncs.entities(row.id, [entity.name]));
      if (sync === undefined) throw new Error(`nothing is known of the copy of ${entity.name}`);
      await requireReady(connector, sync, () =>
        call.deadline.within(store.instances.countWorkers()),
      );
      turn.endWait = beginStretch({ clock, times: call.times, of: 'waitMs' });
      // Its turn is over when the copy is done with it, which may be after it was given up.
      const searching = admission.search(row, deadline.signal, (quick) => {
        turn.hasCome = true;
        turn.endWait();
        const { recordCount } = sync;
        return this.#ask(call, { copy, cursor, quick, recordCount, signal: deadline.signal });
      });
      const { nextCursor: next, ...found } = await untilAborted(searching, deadline.signal);
      const replaced = await this.#replacedSince(call);
      if (replaced !== undefined) return await this.#find({ ...call, connector: replaced }, signal);
      const { tookMs, warnings, ...rest } = found;
      const page = { ...rest, nextCursor: next === null ? null : sealCursor(vault, copy, next) };
      const { lastFullAt } = sync;
      return { page, tookMs, sync: freshnessOf(row, sync, clock.now()), lastFullAt, warnings };
    } catch (error) {
      turn.endWait();
      if (isConnectorError(error)) throw error;
      if (!deadline.hasPassed()) throw translate(error);
      const { timeoutMs } = call.deadline;
      throw turn.hasCome ? tooSlow(entity, timeoutMs, error) : noTurn(timeoutMs, error);
    }
  }

  /**
   * The connector, where it is another account's by now: what was found is what was left of the copy, which was being
   * deleted. As memory has it, so that most searches wait for nothing.
   *
   * @throws `connector_not_found` where it is deleted, and its copy with it.
   */
  async #replacedSince({ connector, deadline }: SearchCall): Promise<LiveConnector | undefined> {
    const { id, credentialsEpoch } = connector.row;
    const found = this.#parts.live.find(id);
    const newest = found instanceof Promise ? await deadline.within(found) : found;
    if (newest === undefined) throw connectorNotFound(id);
    return newest.row.credentialsEpoch === credentialsEpoch ? undefined : newest;
  }

  /** Asks the copy for hits, and meanwhile for the paths that it has. */
  async #ask(call: SearchCall, { copy, cursor, signal, quick, recordCount }: Asked) {
    const { clock, store } = this.#parts;
    const { entity, search, deadline } = call;
    const find = async () => {
      const askedAt = clock.monotonic();
      const timeoutMs = timeOf(call);
      using time = startDeadline(clock, timeoutMs, undefined);
      const { quickMs, onLong } = quick;
      const ends = { signal, time: { timeoutMs, signal: time.signal } };
      const bounds = { ...ends, quickMs, onLong, recordCount };
      const page = await store.copies.search(copy, { ...search, cursor }, bounds);
      return { ...page, tookMs: Math.round(clock.monotonic() - askedAt) };
    };
    const warn = () => deadline.within(warnOfUnseenPaths(store.copies, { copy, entity }, search));
    // Either may fail; this is over when both are.
    const [found, warned] = await Promise.allSettled([find(), warn()]);
    if (found.status === 'rejected') throw found.reason;
    if (warned.status === 'rejected') throw warned.reason;
    return { ...found.value, warnings: warned.value };
  }
}

/** What is asked of a copy when the turn of a search has come. */
interface Asked {
  readonly copy: CopyId;
  readonly cursor: string | undefined;
  readonly quick: Pick<QuickSearch, 'quickMs' | 'onLong'>;
  readonly recordCount: number;
  readonly signal: AbortSignal;
}

/** Kept back of what is left of the call, to answer. */
const ANSWER_MS = 250;

/**
 * How long the search may look for hits, now that it is its turn. Those of a partial answer are read
 * for as long again at most, and that has to be before the deadline, too.
 */
function timeOf({ search, deadline }: SearchCall): number {
  const { timeoutMs = SEARCH_LIMITS.usualTimeoutMs, allowsPartial } = search;
  if (!allowsPartial) return timeoutMs;
  return Math.min(timeoutMs, Math.max(1, Math.floor((deadline.leftMs() - ANSWER_MS) / 2)));
}

function requireWithinDeadline({ entity, search, deadline }: SearchCall): void {
  if (search.timeoutMs === undefined || search.timeoutMs <= deadline.timeoutMs) return;
  const allowed = `at most ${deadline.timeoutMs}, the deadline of the call in milliseconds`;
  const fault: Fault = {
    field: 'params.timeout_ms',
    errorCode: 'out_of_range',
    message: `must be ${allowed}, got ${search.timeoutMs}; Patchbay-Timeout-Ms sets another`,
    allowed,
  };
  throw new ConnectorError(
    'invalid_params',
    { entity: entity.name, action: 'search', faults: [fault] },
    { message: `The params of ${entity.name}.search are wrong: ${faultText(fault)}.` },
  );
}

function noTurn(timeoutMs: number, cause: unknown): ConnectorError<'rate_limited'> {
  return new ConnectorError(
    'rate_limited',
    { retryAfterSeconds: 1 },
    {
      message: `Other searches were under way until the deadline of ${timeoutMs} ms; ask for fewer at once, or allow more time with Patchbay-Timeout-Ms.`,
      cause,
    },
  );
}

function tooSlow(
  entity: Entity,
  timeoutMs: number,
  cause: unknown,
): ConnectorError<'upstream_timeout'> {
  return new ConnectorError(
    'upstream_timeout',
    { entity: entity.name, action: 'search' },
    {
      message: `The search took longer than its deadline of ${timeoutMs} ms; narrow it, ask for fewer hits, or allow more with Patchbay-Timeout-Ms.`,
      cause,
    },
  );
}

function translate(error: unknown): unknown {
  if (!(error instanceof CallAbortedError) || error.reason === 'client') return error;
  return new ConnectorError(
    'not_ready',
    { retryAfterSeconds: 5 },
    { message: 'The service went down before the search was done.', cause: error },
  );
}
