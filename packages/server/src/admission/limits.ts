import { getHeapStatistics } from 'node:v8';

/**
 * Bounds on what there may be at once, in each process. A caller is an application, or one of its
 * external users.
 */
export interface AdmissionLimits {
  /** Calls a minute of each application; `undefined` for any number. */
  readonly callsPerMinute: number | undefined;
  /** Calls under way. */
  readonly callsAtOnce: number;
  /** Of an application and its external users. */
  readonly callsOfApplication: number;
  /** Of those that come with the tokens of one external user. */
  readonly callsOfUser: number;
  /** Of those that come with the application's own token, and of an external user, while the process has no time left, its event loop or its database: others' calls are not to wait for all of them. */
  readonly callsOfApplicationWhenBusy: number;
  readonly callsOfUserWhenBusy: number;
  /** Calls under way whose bodies are large, or of unknown length: a body is held until its answer. */
  readonly largeBodies: number;
  /** Of those, an application's and its users'. */
  readonly largeBodiesOfApplication: number;
  /** Of those, an external user's. */
  readonly largeBodiesOfUser: number;
  /** Calls of a caller that wait for their turn. */
  readonly callsWaitingOfCaller: number;
  /** Calls without a token that wait for the database, such as logins. */
  readonly strangersAtOnce: number;
  /** Of those that wait for an upstream, too. */
  readonly strangersAtUpstreams: number;
  /** Of both, those of one address that wait for their turn, and of all addresses. */
  readonly strangersWaitingOfAddress: number;
  readonly strangersWaiting: number;
  /** Large bodies of calls without a token, from when they begin to arrive until their answer. */
  readonly strangersLargeBodies: number;
  /** Searches under way; as many connections are for them. */
  readonly searchesAtOnce: number;
  readonly searchesOfApplication: number;
  /** Of the external user whose connectors are searched, whoever searches them. */
  readonly searchesOfUser: number;
  /** Searches of such a user that wait for their turn. */
  readonly searchesWaitingOfUser: number;
  /** Bytes of upstreams' answers to reads, from when they arrive until the answer of ours is made. */
  readonly pageBytes: number;
  readonly pageBytesOfCaller: number;
  /** Bytes of answers that clients have not taken yet. */
  readonly unreadBytes: number;
  readonly unreadBytesOfCaller: number;
  /** Longer answers are large; of shorter ones, nearly all there are, only what the system does not take at once counts. */
  readonly largeAnswerBytes: number;
  /** So long a client has for taking such an answer whole: one that trickles is never idle. */
  readonly largeAnswerTimeoutMs: number;
  /** Files of one connector that are read. */
  readonly downloadsOfConnector: number;
  readonly downloadsOfCaller: number;
  /** Streams of sync events that each token has open. */
  readonly watchersOfToken: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** With a database of its own to every tenant's calls: a PostgreSQL server. */
export const SERVER_LIMITS: AdmissionLimits = {
  callsPerMinute: undefined,
  callsAtOnce: 2_048,
  callsOfApplication: 1_536,
  callsOfUser: 128,
  callsOfApplicationWhenBusy: 32,
  callsOfUserWhenBusy: 16,
  largeBodies: 256,
  largeBodiesOfApplication: 64,
  largeBodiesOfUser: 16,
  callsWaitingOfCaller: 2_048,
  strangersAtOnce: 2,
  strangersAtUpstreams: 32,
  strangersWaitingOfAddress: 2_048,
  strangersWaiting: 4_096,
  strangersLargeBodies: 32,
  searchesAtOnce: 4,
  searchesOfApplication: 3,
  searchesOfUser: 2,
  searchesWaitingOfUser: 64,
  pageBytes: 256 * MIB,
  pageBytesOfCaller: 128 * MIB,
  unreadBytes: 512 * MIB,
  unreadBytesOfCaller: 64 * MIB,
  largeAnswerBytes: 256 * KIB,
  largeAnswerTimeoutMs: 300_000,
  downloadsOfConnector: 8,
  downloadsOfCaller: 16,
  watchersOfToken: 32,
};

/** With the embedded database, which does one thing at a time. */
export const LAPTOP_LIMITS: AdmissionLimits = {
  ...SERVER_LIMITS,
  callsAtOnce: 1_024,
  callsOfApplication: 768,
  callsOfUser: 64,
  searchesOfUser: 1,
};

/**
 * So much of what all have together an application and its external users have at most: of the calls, of the searches, and of the
 * bytes of pages and of unread answers.
 */
export const APPLICATION_SHARE = 3 / 4;
/** An external user may have so much of the calls that its application may make in a minute. */
export const USER_SHARE = 3 / 4;

/** Parts of what Node.js has for objects that some limits are at most, unless they are set. */
export const HEAP_SHARES = {
  // What is made of a page on its way through takes some six times its bytes.
  pageBytes: 1 / 16,
  pageBytesOfCaller: 1 / 32,
  unreadBytes: 1 / 4,
} as const satisfies Partial<Record<keyof AdmissionLimits, number>>;

/** The same where a process has little memory: little of it then is for what waits. */
export function fittingHeap(
  limits: AdmissionLimits,
  heapBytes = getHeapStatistics().heap_size_limit,
): AdmissionLimits {
  const most = (name: keyof typeof HEAP_SHARES) =>
    Math.min(limits[name], Math.floor(HEAP_SHARES[name] * heapBytes));
  return {
    ...limits,
    pageBytes: most('pageBytes'),
    pageBytesOfCaller: most('pageBytesOfCaller'),
    unreadBytes: most('unreadBytes'),
  };
}

/** The limits of a process: the defaults, but for what is given. What follows from what is given goes by it, unless it is given, too. */
export function limitsWith(
  defaults: AdmissionLimits,
  given: Partial<AdmissionLimits> = {},
): AdmissionLimits {
  const { callsAtOnce, searchesAtOnce } = given;
  return {
    ...fittingHeap(defaults),
    ...(callsAtOnce === undefined ? {} : { callsOfApplication: ofApplication(callsAtOnce) }),
    ...(searchesAtOnce === undefined
      ? {}
      : { searchesOfApplication: ofApplication(searchesAtOnce) }),
    ...given,
  };
}

function ofApplication(all: number): number {
  return Math.ceil(APPLICATION_SHARE * all);
}

/** The setting of each limit that operators can change, and how much one of its units is. */
export const LIMIT_VARIABLES = {
  callsPerMinute: { variable: 'PATCHBAY_RATE_LIMIT', unit: 1 },
  callsAtOnce: { variable: 'PATCHBAY_CALLS_AT_ONCE', unit: 1 },
  callsOfApplication: { variable: 'PATCHBAY_CALLS_AT_ONCE_PER_APPLICATION', unit: 1 },
  callsOfUser: { variable: 'PATCHBAY_CALLS_AT_ONCE_PER_USER', unit: 1 },
  searchesAtOnce: { variable: 'PATCHBAY_SEARCHES_AT_ONCE', unit: 1 },
  searchesOfApplication: { variable: 'PATCHBAY_SEARCHES_AT_ONCE_PER_APPLICATION', unit: 1 },
  searchesOfUser: { variable: 'PATCHBAY_SEARCHES_AT_ONCE_PER_USER', unit: 1 },
  pageBytes: { variable: 'PATCHBAY_PAGES_MIB', unit: MIB },
  pageBytesOfCaller: { variable: 'PATCHBAY_PAGES_MIB_PER_CALLER', unit: MIB },
  unreadBytes: { variable: 'PATCHBAY_UNREAD_MIB', unit: MIB },
  unreadBytesOfCaller: { variable: 'PATCHBAY_UNREAD_MIB_PER_CALLER', unit: MIB },
  downloadsOfConnector: { variable: 'PATCHBAY_DOWNLOADS_PER_CONNECTOR', unit: 1 },
  downloadsOfCaller: { variable: 'PATCHBAY_DOWNLOADS_PER_CALLER', unit: 1 },
  watchersOfToken: { variable: 'PATCHBAY_MAX_WATCHERS_PER_TOKEN', unit: 1 },
} as const satisfies Partial<
  Record<keyof AdmissionLimits, { readonly variable: string; readonly unit: number }>
>;

export type LimitSetting = keyof typeof LIMIT_VARIABLES;
