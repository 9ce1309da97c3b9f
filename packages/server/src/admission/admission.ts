import { ConnectorError, type Clock } from '@patchbay/connectors';
import {
  keyHolderOf,
  type Access,
  type TenantAccess,
  type VerifiedToken,
} from '../access/access.ts';
import { networkOf } from '../network-of.ts';
import type { AdmissionObserver, AdmissionState, RefusalReason } from './admission-observer.ts';
import { Counter } from './counter.ts';
import { FairTurns, type Release, type TimeLeft, type TurnGroup } from './fair-turns.ts';
import { Headroom, LOOK_APART_MS } from './headroom.ts';
import { APPLICATION_SHARE, type AdmissionLimits } from './limits.ts';
import { LoneCaller } from './lone-caller.ts';
import { QuickTime, type QuickSearch } from './quick-time.ts';
import { RateLimit, type Taken } from './rate-limit.ts';
import { Room, type Holder } from './room.ts';

/** Whose connectors a search is about. */
export interface SearchedUser {
  readonly applicationId: string;
  readonly externalUserId: string;
}

/** What is taken in of an upstream's answer to a read. */
export interface PageInTheMaking {
  /** @throws `rate_limited` where so many bytes more are too much. */
  readonly take: (bytes: number) => void;
  readonly release: Release;
}

interface AdmissionParts {
  /**
   * The rate limit of an application that has one of its own, as far as that is known without asking
   * for it.
   */
  readonly perMinuteOf?: (applicationId: string) => number | null | undefined;
  readonly observer?: AdmissionObserver | undefined;
  /** How much of what callers may have at once there is time for. Default: as the event loop has. */
  readonly headroom?: Pick<TimeLeft, 'share' | 'inRound'>;
  /** Milliseconds, of any beginning, that quick searches have had the database. Default: by the clock. */
  readonly searchedMs?: () => number;
}

/** What a call without a token has to wait for: `upstream` for the database, too. */
export type StrangersWait = 'database' | 'upstream';

/** Of a caller that is alone, whose rounds only the next one would find long: a round of few calls costs more than they do. */
const LONE_IN_ROUND = 24;
/** Who has too much at once has less of it soon; who asks too often is told when. */
const SOON_SECONDS = 1;
/** Clients that take what they asked for have done so by then. */
const READ_BY_SECONDS = 5;

/**
 * Who may do what at once, who goes first, and what is refused: everything in a process that
 * tenants share is asked for here. In the order in which a call meets it:
 *
 * | what | is | beyond the limit |
 * |---|---|---|
 * | `countCall` and `requireWithinRate`, every call with a token | counted by application and by user, each minute | refused, but for what revokes a token |
 * | `enter`, after that | a turn, by application and by caller, in fair order; callers have fewer (beside those that wait for upstreams for long) while the process has no time left and others have called of late, and of all only so many begin in a round of the event loop that it is short | waits until its deadline; refused where too many of the caller wait |
 * | | with a large body: a turn in groups of those, too; no body is read before its turn | waits, while small ones go on |
 * | | held against answers that its caller has not read | refused |
 * | `enterStranger`, calls without a token | a turn among themselves, by address | waits until its deadline; refused where too many wait |
 * | `search` | a turn, by application and by user, in fair order | waits until its deadline; refused where too many of the user wait |
 * | | goes before long searches, for as long as its user has such time | goes on behind others'; its turn lasts longer where it is given up |
 * | `readPage` | the bytes of an upstream's answer, and of a file that is kept here, by caller, by application and in all | refused |
 * | `openDownload` | counted by connector, and by caller | refused |
 * | `watch` | counted by token | refused |
 * | `holdAnswer`, large answers, and of others what is left once they are sent | bytes until they are read, by caller, by application and in all | refused, but for writes and what is left |
 *
 * Refusals are `rate_limited`. Three shares are others' to give: the database's connections go by
 * lane, see the store; calls go before syncs at the budgets of upstreams, see the limiter; and large pages of
 * copies have turns of their own, see the replication.
 */
export class Admission {
  readonly limits: AdmissionLimits;
  readonly #rates: RateLimit;
  readonly #calls: FairTurns;
  /** A token brings the same access with each call. */
  readonly #groupsOf = new WeakMap<Access, readonly TurnGroup[]>();
  readonly #loneCaller: LoneCaller;
  readonly #strangers: Readonly<Record<StrangersWait, TurnsByAddress>>;
  readonly #strangersLargeBodies: TurnsByAddress;
  readonly #searches: FairTurns;
  readonly #quickTime: QuickTime;
  readonly #pages: Room;
  readonly #downloads = new Counter<string>();
  readonly #watchers = new Counter<string>();
  readonly #unread: Room;
  readonly #clock: Clock;
  readonly #observer: AdmissionObserver | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(
    limits: AdmissionLimits,
    clock: Clock,
    {
      perMinuteOf,
      observer,
      headroom = new Headroom(() => clock.monotonic()),
      searchedMs = () => clock.monotonic(),
    }: AdmissionParts = {},
  ) {
    this.limits = limits;
    this.#clock = clock;
    this.#observer = observer;
    const { callsPerMinute } = limits;
    this.#rates = new RateLimit({
      clock,
      perMinuteOf: (id) => perMinuteOf?.(id) ?? callsPerMinute,
    });
    this.#loneCaller = new LoneCaller(clock);
    this.#calls = new FairTurns(limits.callsAtOnce, {
      share: () => {
        // Asked in any case: it looks at the process now and then.
        const share = headroom.share();
        return share < 1 && this.#loneCaller.isAlone() ? 1 : share;
      },
      inRound: () => {
        const calls = headroom.inRound();
        return calls < LONE_IN_ROUND && this.#loneCaller.isAlone() ? LONE_IN_ROUND : calls;
      },
      now: () => clock.monotonic(),
    });
    this.#strangers = {
      database: turnsByAddress(limits.strangersAtOnce),
      upstream: turnsByAddress(limits.strangersAtUpstreams),
    };
    this.#strangersLargeBodies = turnsByAddress(limits.strangersLargeBodies);
    this.#searches = new FairTurns(limits.searchesAtOnce);
    this.#quickTime = new QuickTime({ clock, searchedMs });
    this.#pages = roomOf(limits.pageBytes, limits.pageBytesOfCaller);
    this.#unread = roomOf(limits.unreadBytes, limits.unreadBytesOfCaller);
  }

  /** Who has a turn now, and who waits for one. */
  state(): AdmissionState {
    return {
      calls: this.#calls.state(),
      searches: this.#searches.state(),
      strangers: this.#strangers.database.turns.state(),
    };
  }

  /**
   * Counts a call with a token, before anything else is done for it.
   *
   * @returns What its answer says of the rate limit, where there is one.
   */
  countCall(access: Access): Taken | undefined {
    return access.type === 'operator' ? undefined : this.#rates.take(access);
  }

  /** @throws `rate_limited` where the call is one too many. */
  requireWithinRate(rate: Taken | undefined): void {
    if (rate?.error === undefined) return;
    this.#observer?.onRefusal('rate');
    throw rate.error;
  }

  /**
   * Lets a call in, at once or when it is its turn; whoever is in calls the result when it is over.
   *
   * @param whileWaiting Called only where the call has to wait, with what ends the wait.
   * @param hasLargeBody Whether its body is large, or may be: none of it is read before the call's turn.
   * @throws `rate_limited` where its caller has not read earlier answers, or too many of its calls
   * wait; the reason that ends the wait before the turn has come.
   */
  enter(
    access: Access,
    whileWaiting: (leave: (reason: Error) => void) => void,
    hasLargeBody = false,
  ): Release | Promise<Release> {
    const caller = callerOf(access);
    this.#loneCaller.note(caller);
    // Whoever has left a little of an answer for the moment has no part in it that there is no room.
    if (this.#unread.isFullFor(holderOf(access), this.limits.largeAnswerBytes))
      throw this.#refused('answers_unread', answersUnread());
    const { callsWaitingOfCaller } = this.limits;
    const calls = this.#callsOf(access);
    const groups = hasLargeBody ? [...calls, ...this.#largeBodiesWith(access)] : calls;
    const release = this.#calls.tryTake(groups);
    if (release !== undefined) return release;
    if (this.#calls.waitingOf(caller) < callsWaitingOfCaller) {
      this.#lookForRoom();
      const { turn, leave } = this.#calls.wait(groups);
      whileWaiting(leave);
      return this.#waiting('calls', turn);
    }
    const message = `${callsWaitingOfCaller} calls of yours wait for their turn, as many as may.`;
    throw this.#refused('calls_waiting', tooMuch(message));
  }

  /**
   * The same for a call without a token: what the database can do for tenants is not for strangers, of whom there may
   * be any number. Those of an address (of IPv6: of a network) count together, and have half of the turns at most.
   *
   * @throws `rate_limited` where too many wait; the reason that ends the wait before the turn has come.
   */
  enterStranger(
    address: string,
    waitsFor: StrangersWait,
    whileWaiting: (leave: (reason: Error) => void) => void,
  ): Release | Promise<Release> {
    const { turns, mostOfAddress: most } = this.#strangers[waitsFor];
    const network = networkOf(address);
    const group = { name: network, most };
    this.#loneCaller.note(network);
    const release = turns.tryTake([group]);
    if (release !== undefined) return release;
    const { strangersWaiting, strangersWaitingOfAddress } = this.limits;
    if (
      turns.state().waiting < strangersWaiting &&
      turns.waitingOf(network) < strangersWaitingOfAddress
    ) {
      const { turn, leave } = turns.wait([group]);
      whileWaiting(leave);
      return this.#waiting('strangers', turn);
    }
    const message = 'Too many calls without a token wait for their turn; try again in a moment.';
    throw this.#refused('strangers_waiting', tooMuch(message));
  }

  /**
   * Counts a large body of a call without a token, before any of it is read.
   *
   * @throws `rate_limited`.
   */
  takeLargeBody(address: string): Release {
    const { turns, mostOfAddress: most } = this.#strangersLargeBodies;
    const release = turns.tryTake([{ name: networkOf(address), most }]);
    if (release !== undefined) return release;
    const message = 'Too many large bodies are sent without a token; try again in a moment.';
    throw this.#refused('strangers_waiting', tooMuch(message));
  }

  /**
   * Searches when it is the user's turn.
   *
   * @param run Is told for how long the search goes before others' long ones, and tells when it does no longer.
   * @throws `rate_limited` where too many of the user's wait; the signal's reason when it aborts
   * before the turn has come.
   */
  async search<T>(
    { applicationId, externalUserId }: SearchedUser,
    signal: AbortSignal,
    run: (quick: Pick<QuickSearch, 'quickMs' | 'onLong'>) => Promise<T>,
  ): Promise<T> {
    const { searchesOfApplication, searchesOfUser, searchesWaitingOfUser } = this.limits;
    const application = { name: `application ${applicationId}`, most: searchesOfApplication };
    const user = { name: `user ${applicationId} ${externalUserId}`, most: searchesOfUser };
    if (this.#searches.waitingOf(user.name) >= searchesWaitingOfUser)
      throw this.#refused(
        'searches_waiting',
        tooMuch(
          `${searchesWaitingOfUser} searches in the user's connectors wait for their turn, as many as may.`,
        ),
      );
    const groups = [application, user];
    const release =
      this.#searches.tryTake(groups) ??
      (await this.#waiting('searches', this.#searches.take(groups, signal)));
    const quick = this.#quickTime.begin(user.name);
    try {
      const found = await run(quick);
      quick.end();
      return found;
    } catch (error) {
      quick.giveUp();
      throw error;
    } finally {
      release();
    }
  }

  /** A call that is in begins to wait for an upstream; what comes back is called when it goes on. */
  waitForUpstream(access: Access): Release {
    return this.#calls.away(callerOf(access));
  }

  /** Asks an upstream for a call that is in; whoever asks without a turn names no caller. */
  async atUpstream<T>(caller: Access | undefined, ask: () => Promise<T>): Promise<T> {
    if (caller === undefined) return ask();
    const goOn = this.waitForUpstream(caller);
    try {
      return await ask();
    } finally {
      goOn();
    }
  }

  /** Counts the bytes of an upstream's answer while a page is made of it. */
  readPage(access: Access): PageInTheMaking {
    const { largeAnswerBytes } = this.limits;
    const share = this.#pages.begin(holderOf(access));
    let small = 0;
    return {
      take: (bytes) => {
        // Nearly all answers are small, and gone at once.
        if (small + bytes <= largeAnswerBytes) small += bytes;
        else if (!share.grow(bytes))
          throw this.#refused(
            'pages',
            tooMuch(
              'Too many large pages are being read at once; ask for fewer, or for smaller ones.',
            ),
          );
      },
      release: share.release,
    };
  }

  /**
   * Counts a download until its last byte has been read, or never will be.
   *
   * @throws `rate_limited`.
   */
  openDownload(access: Access, connectorId: string): Release {
    const { downloadsOfCaller, downloadsOfConnector } = this.limits;
    const caller = callerOf(access);
    if (this.#downloads.of(connectorId) >= downloadsOfConnector)
      throw this.#refused(
        'downloads',
        filesUnread(`${downloadsOfConnector} files of the connector`),
      );
    if (this.#downloads.of(caller) >= downloadsOfCaller)
      throw this.#refused('downloads', filesUnread(`${downloadsOfCaller} files of yours`));
    const releases = [connectorId, caller].map((key) => this.#downloads.begin(key));
    return () => releases.forEach((release) => release());
  }

  /**
   * Counts a stream of sync events.
   *
   * @throws `rate_limited`.
   */
  watch({ tokenId = 'operator' }: Pick<VerifiedToken, 'tokenId'>): Release {
    const { watchersOfToken } = this.limits;
    if (this.#watchers.of(tokenId) < watchersOfToken) return this.#watchers.begin(tokenId);
    const message = `The token has ${watchersOfToken} streams of sync events open, as many as one may; close one of them.`;
    throw this.#refused('watchers', tooMuch(message));
  }

  /**
   * Counts an answer, or what is left of one, until it has been taken, or never will be.
   *
   * @param answer.isRepeatable Whether it may be refused: the answer to a write may not, since who
   * does not get it would write again.
   * @throws `rate_limited`.
   */
  holdAnswer(
    holder: Holder,
    answer: { readonly sizeBytes: number; readonly isRepeatable: boolean },
  ): Release {
    const share = this.#unread.begin(holder, { isForced: !answer.isRepeatable });
    if (!share.grow(answer.sizeBytes)) throw this.#refused('answers_unread', answersUnread());
    return share.release;
  }

  /** Applications take turns first, and the callers of each among themselves. */
  #callsOf(access: Access): readonly TurnGroup[] {
    let groups = this.#groupsOf.get(access);
    if (groups === undefined) {
      groups = this.#groupsAnew(access);
      this.#groupsOf.set(access, groups);
    }
    return groups;
  }

  #groupsAnew(access: Access): readonly TurnGroup[] {
    const { callsOfApplication, callsOfApplicationWhenBusy, callsOfUser, callsOfUserWhenBusy } =
      this.limits;
    const { caller: name, application = name } = holderOf(access);
    const caller =
      access.type === 'scoped'
        ? { name, most: callsOfUser, mostWhenBusy: callsOfUserWhenBusy }
        : { name, most: callsOfApplication, mostWhenBusy: callsOfApplicationWhenBusy };
    const all = { name: `all of ${application}`, most: callsOfApplication };
    return [all, caller];
  }

  /** What a large body counts in besides; whose turn is next goes by callers alone. */
  #largeBodiesWith(access: Access): readonly TurnGroup[] {
    const { largeBodies, largeBodiesOfApplication, largeBodiesOfUser } = this.limits;
    const whose = access.type === 'operator' ? access.type : access.applicationId;
    return [
      { name: 'large bodies', most: largeBodies },
      { name: `large bodies of ${whose}`, most: largeBodiesOfApplication },
      ...(access.type === 'scoped'
        ? [{ name: `large bodies of ${callerOf(access)}`, most: largeBodiesOfUser }]
        : []),
    ];
  }

  /** As long as calls wait: room comes back where the process has time again, though no call has ended. */
  #lookForRoom(): void {
    this.#looking ??= setInterval(() => {
      this.#calls.startWaiting();
      if (this.#calls.state().waiting > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    }, LOOK_APART_MS).unref();
  }

  #refused(reason: RefusalReason, error: ConnectorError): ConnectorError {
    this.#observer?.onRefusal(reason);
    return error;
  }

  async #waiting(turn: keyof AdmissionState, taking: Promise<Release>): Promise<Release> {
    const startedAt = this.#clock.monotonic();
    try {
      return await taking;
    } finally {
      this.#observer?.onAdmissionWait(turn, this.#clock.monotonic() - startedAt);
    }
  }
}

function roomOf(inAll: number, ofCaller: number): Room {
  return new Room({ inAll, ofApplication: APPLICATION_SHARE * inAll, ofCaller });
}

/** Turns of strangers, whose addresses are all that is known of them. */
interface TurnsByAddress {
  readonly turns: FairTurns;
  /** Of the rest others have theirs, whatever those of one address wait for. */
  readonly mostOfAddress: number;
}

function turnsByAddress(atOnce: number): TurnsByAddress {
  return { turns: new FairTurns(atOnce), mostOfAddress: Math.ceil(atOnce / 2) };
}

/** Whose calls and answers count together: an application's, one of its external users', or the operator's. */
function callerOf(access: Access): string {
  return holderOf(access).caller;
}

/** The same, and of which application it is. */
export function holderOf(access: Access): Holder {
  if (access.type === 'operator') return OPERATOR;
  if (access.type === 'application' && access.isByOperator === true) return OPERATOR;
  return tenantOf(access);
}

function tenantOf(access: TenantAccess): Holder {
  let holder = holders.get(access);
  if (holder === undefined) {
    holder = { caller: keyHolderOf(access), application: access.applicationId };
    holders.set(access, holder);
  }
  return holder;
}

const OPERATOR: Holder = { caller: 'operator', application: undefined };

/** A token brings the same access with each call: its caller is looked up by the same text, several times a call. */
const holders = new WeakMap<TenantAccess, Holder>();

function tooMuch(message: string): ConnectorError<'rate_limited'> {
  return new ConnectorError('rate_limited', { retryAfterSeconds: SOON_SECONDS }, { message });
}

function filesUnread(which: string): ConnectorError<'rate_limited'> {
  return new ConnectorError(
    'rate_limited',
    { retryAfterSeconds: READ_BY_SECONDS },
    { message: `${which} are being read; read one to its end, or close its connection.` },
  );
}

function answersUnread(): ConnectorError<'rate_limited'> {
  return new ConnectorError(
    'rate_limited',
    { retryAfterSeconds: READ_BY_SECONDS },
    { message: 'Earlier answers have not been read yet; read them to their end, or ask for less.' },
  );
}
