/** Why a person stands before a page of ours, and what they can do. */
const STOPS = {
  malformed: {
    status: 400,
    title: 'This address is not complete',
    advice: 'Go back to the application that you came from, and begin again there.',
  },
  unknown: {
    status: 404,
    title: 'This was used already, or never began',
    advice:
      'A link for connecting works once. Go back to the application that you came from: it may be connected already; otherwise begin again there.',
  },
  expired: {
    status: 410,
    title: 'This took too long',
    advice:
      'A link for connecting works for ten minutes. Go back to the application that you came from, and begin again there.',
  },
  other_browser: {
    status: 403,
    title: 'This was begun in another browser',
    advice:
      'Nothing has been connected. If you began this yourself, go back to the application and begin again, all in one browser. If somebody sent you the link, close this page.',
  },
  no_cookie: {
    status: 403,
    title: 'Your browser did not keep our cookie',
    advice:
      'It tells that you are the one who began. Allow cookies for this site, then begin again in the application that you came from.',
  },
  not_configured: {
    status: 424,
    title: 'This cannot be connected now',
    advice:
      'The service has no app for it any more. Tell whoever runs the application that you came from.',
  },
  too_many: {
    status: 429,
    title: 'Too many attempts',
    advice: 'Wait a minute, then begin again in the application that you came from.',
  },
} as const;

export type ConsentStopReason = keyof typeof STOPS;

/** Ends a consent on a page of ours: there is no address that the person could be sent to safely. */
export class ConsentStop extends Error {
  override readonly name = 'ConsentStop';
  readonly reason: ConsentStopReason;

  constructor(reason: ConsentStopReason) {
    super(STOPS[reason].title);
    this.reason = reason;
  }

  get status(): number {
    return STOPS[this.reason].status;
  }

  get advice(): string {
    return STOPS[this.reason].advice;
  }
}
