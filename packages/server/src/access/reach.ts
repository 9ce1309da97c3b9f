import { ConnectorError } from '@patchbay/connectors';
import { mayWrite, type Access } from './access.ts';

/** Who may call the routes of a class. */
interface Reach {
  /** `no`: the class is public, so tokens do not matter. */
  readonly needsToken: boolean;
  readonly application: boolean;
  readonly scoped: 'no' | 'any' | 'write';
  /** What to use instead, told to whoever brings the other kind of token. */
  readonly hint?: string;
}

/**
 * Who reaches which routes, one row a class.
 *
 * @see docs/wire.md#reach
 */
export const REACH = {
  public: { needsToken: false, application: true, scoped: 'any' },
  kinds: { needsToken: true, application: true, scoped: 'any' },
  scopedToken: {
    needsToken: true,
    application: true,
    scoped: 'no',
    hint: 'Scoped tokens are made with an application token.',
  },
  scopedTokenInfo: {
    needsToken: true,
    application: false,
    scoped: 'any',
    hint: 'This describes a scoped token; an application token was given.',
  },
  connectors: { needsToken: true, application: true, scoped: 'any' },
  /** A sync and a check change too: what is copied, and the state that everybody sees. */
  connectorChange: {
    needsToken: true,
    application: true,
    scoped: 'write',
    hint: 'The token has access "read"; changes, syncs and checks need "write".',
  },
  consent: {
    needsToken: true,
    application: true,
    scoped: 'write',
    hint: 'The token has access "read"; consent makes or changes a connector, which needs "write".',
  },
  oauthApps: {
    needsToken: true,
    application: true,
    scoped: 'no',
    hint: 'The OAuth apps of an application are for its own token.',
  },
  connectSessions: {
    needsToken: true,
    application: true,
    scoped: 'no',
    hint: 'Connect sessions are made and confirmed by the backend of the application, with its own token.',
  },
  mcp: {
    needsToken: true,
    application: false,
    scoped: 'any',
    hint: 'An application token does not belong in the hands of a model; use a scoped token.',
  },
} as const satisfies Record<string, Reach>;

export type RouteClass = keyof typeof REACH;

/** Whether calls of that class must bring a token. */
export function needsToken(routeClass: RouteClass): boolean {
  return REACH[routeClass].needsToken;
}

/** @throws `forbidden` where the class is beyond that token's reach. */
export function requireReach(routeClass: RouteClass, access: Access): void {
  const reach: Reach = REACH[routeClass];
  const isAllowed =
    access.type === 'application'
      ? reach.application
      : reach.scoped === 'any' || (reach.scoped === 'write' && mayWrite(access));
  if (!isAllowed) throw forbidden(reach.hint);
}

/** The error for what a token does not allow. */
export function forbidden(message: string | undefined): ConnectorError<'forbidden'> {
  return new ConnectorError('forbidden', {}, message === undefined ? {} : { message });
}
