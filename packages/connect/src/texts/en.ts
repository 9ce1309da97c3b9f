/** Everything that the page says in English; what the service says comes in its own words. */
export const en = {
  language: 'en',

  loading: 'Loading …',

  asks: (application: string, what: string, user: string | null) =>
    `${application} asks to connect your ${what}${forUser(user)}`,
  asksAgain: (application: string, what: string, user: string | null) =>
    `${application} asks to connect your ${what} again${forUser(user)}`,
  asksForOne: (application: string, user: string | null) =>
    `${application} asks to connect one of your accounts${forUser(user)}`,
  /** Below headings that do not say it themselves. */
  between: (application: string, user: string | null) =>
    user === null ? application : `${application} · ${user}`,
  caution: (application: string) => `Go on only if you came here from ${application} yourself.`,
  validUntil: (time: string) => `This link is valid until ${time}.`,

  chooseKind: 'What do you want to connect?',
  chooseAnother: 'Choose something else',

  chooseWay: (kind: string) => `How do you want to connect ${kind}?`,
  signIn: (kind: string) => `Sign in to ${kind}`,
  signInDoc: (kind: string) => `You sign in at ${kind}, and allow the access there.`,
  otherWays: 'Connect another way',
  continueTo: (kind: string) => `Continue to ${kind}`,
  goingTo: (kind: string) => `Going to ${kind} …`,
  checkAndConnect: 'Check and connect',
  checking: (kind: string) => `Checking with ${kind} …`,
  optionalFields: 'Optional fields',
  optional: 'optional',
  notChosen: 'Please choose',
  show: 'Show',
  hide: 'Hide',
  showValue: (label: string) => `Show ${label}`,
  hideValue: (label: string) => `Hide ${label}`,
  fillIn: (label: string) => `Please fill in: ${label}.`,
  somethingIsWrong: 'That did not work',
  declinedTitle: 'Nothing was connected',
  declinedMessage: 'The person went back without connecting anything.',
  cancel: (application: string) => `Cancel and go back to ${application}`,

  unconfirmedTitle: 'Almost done',
  unconfirmed: (application: string) => `Waiting for ${application} to confirm …`,
  unconfirmedDoc: (application: string) =>
    `Your details were accepted. ${application} makes sure that it is you before anything is used.`,

  connectedTitle: (kind: string) => `${kind} is connected`,
  copyUnderWay: 'The first copy is being made. You need not wait for it.',
  copyDone: 'The first copy is done.',
  copyFailed: 'The first copy did not get through. It is tried again by itself.',
  copyCancelled: 'The first copy was stopped.',
  copyShare: (done: number, all: number) => `${done} of ${all} done`,
  copied: 'First copy',
  entity: 'What',
  state: 'State',
  records: 'Records',
  count: (count: number) => count.toLocaleString('en'),
  states: {
    never: 'waiting',
    syncing: 'copying',
    idle: 'done',
    failed: 'failed',
    paused: 'paused',
  } as Readonly<Record<string, string>>,
  back: (application: string) => `Back to ${application}`,
  close: 'Close this window',
  mayClose: 'You can close this window now.',

  expiredTitle: 'This link has expired',
  expired: (application: string) => `Ask ${application} for a new one; nothing was connected.`,
  noLinkTitle: 'This link is not complete',
  noLink: 'Open the link again from where you got it, or ask for a new one.',
  /** By code of the error table; the sentence below it is the service's own. */
  refusedTitles: {
    connect_session_taken: 'This link was opened in another browser',
    connect_session_expired: 'This link has expired',
    connect_session_used: 'This link has been used',
  } as Readonly<Record<string, string>>,
  refusedTitle: 'This link does not work',

  laterTitle: 'Please try again in a moment',
  lostTitle: 'The connection is lost',
  lost: 'No answer came. Check your network, then try again.',
  lostRetrying: 'No answer came. It is tried again by itself.',
  unknownOutcome: 'No answer came. What you entered is still here: try again.',
  tryAgain: 'Try again',

  /** A name of the interface, such as `api_token`, for people. */
  nameOf: (name: string) => {
    const words = name
      .split('_')
      .map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : word));
    const text = words.join(' ');
    return text.charAt(0).toUpperCase() + text.slice(1);
  },
};

/** What a language file has to say. */
export type Texts = typeof en;

const ABBREVIATIONS = new Set(['api', 'id', 'url']);

function forUser(user: string | null): string {
  return user === null ? '' : ` for ${user}`;
}
