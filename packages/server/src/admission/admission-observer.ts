/** Why something was refused. */
export type RefusalReason =
  | 'rate'
  | 'calls_waiting'
  | 'strangers_waiting'
  | 'searches_waiting'
  | 'answers_unread'
  | 'pages'
  | 'downloads'
  | 'watchers';

/** How many have a turn, and how many wait for one. */
export interface TurnState {
  readonly running: number;
  readonly waiting: number;
}

/** What is under way at a moment. */
export interface AdmissionState {
  readonly calls: TurnState;
  readonly searches: TurnState;
  /** Calls without a token that wait for the database. */
  readonly strangers: TurnState;
}

/** Told of what admission makes wait and refuses, for figures; it must not throw. */
export interface AdmissionObserver {
  /** Of those that had to wait only, when that is over; whether or not their turn came. */
  readonly onAdmissionWait: (turn: keyof AdmissionState, durationMs: number) => void;
  readonly onRefusal: (reason: RefusalReason) => void;
}
