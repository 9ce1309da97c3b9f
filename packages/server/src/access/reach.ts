import { ConnectorError } from '@patchbay/connectors';
import { mayWrite, type Access, type TenantAccess } from './access.ts';

/** Who may call the routes of a class. */
interface Reach {
  /** `no`: the class is public, so tokens do not matter. */
  readonly needsToken: boolean;
  readonly application: boolean;
  readonly scoped: 'no' | 'any' | 'write';
  /** `any`: with a token of the console, too; `key`: with the operator's key alone. */
  readonly operator: 'no' | 'any' | 'key';
  /** What is done there is one application's, and the path does not tell whose: the operator says so. */
  readonly isOfOneApplication?: true;
  /** What to use instead, told to whoever brings the other kind of token. */
  readonly hint?: string;
}

const BEHALF_HINT =
  "A token of the console acts in the place of no application; use the operator's key, or a token of the application.";

const READ_HINT = 'The token has access "read"; changes, syncs and checks need "write".';

/**
 * Who reaches which routes, one row a class.
 *
 * @see docs/wire.md#reach
 */
export const REACH = {
  public: { needsToken: false, application: true, scoped: 'any', operator: 'any' },
  kinds: { needsToken: true, application: true, scoped: 'any', operator: 'any' },
  /** The applications there are, and their secrets. */
  applications: {
    needsToken: true,
    application: false,
    scoped: 'no',
    operator: 'any',
    hint: "Applications are made, deleted and given secrets with the operator's key (PATCHBAY_OPERATOR_KEY).",
  },
  /** What keeps the service as a whole. */
  operation: {
    needsToken: true,
    application: false,
    scoped: 'no',
    operator: 'any',
    hint: "This is done with the operator's key (PATCHBAY_OPERATOR_KEY).",
  },
  /** One application; its own token reaches that one. */
  ownApplication: {
    needsToken: true,
    application: true,
    scoped: 'no',
    operator: 'any',
    hint: "An application is read and changed with its own token, or with the operator's key.",
  },
  scopedToken: {
    needsToken: true,
    application: true,
    scoped: 'no',
    operator: 'key',
    isOfOneApplication: true,
    hint: "Scoped tokens are made with an application token, or the operator's key.",
  },
  tokenRevocation: {
    needsToken: true,
    application: true,
    scoped: 'no',
    operator: 'any',
    hint: "Tokens are revoked with an application token, or with the operator's key.",
  },
  scopedTokenInfo: {
    needsToken: true,
    application: false,
    scoped: 'any',
    operator: 'no',
    hint: 'This describes a scoped token; another one was given.',
  },
  connectors: { needsToken: true, application: true, scoped: 'any', operator: 'any' },
  /** A sync and a check change too: what is copied, and the state that everybody sees. */
  connectorChange: {
    needsToken: true,
    application: true,
    scoped: 'write',
    operator: 'any',
    hint: READ_HINT,
  },
  /** What is made belongs to the application of the token. */
  connectorCreation: {
    needsToken: true,
    application: true,
    scoped: 'write',
    operator: 'key',
    isOfOneApplication: true,
    hint: READ_HINT,
  },
  /** Calls upstream, in the place of the connector's application. */
  execution: { needsToken: true, application: true, scoped: 'any', operator: 'key' },
  externalUsers: {
    needsToken: true,
    application: true,
    scoped: 'any',
    operator: 'key',
    isOfOneApplication: true,
  },
  consent: {
    needsToken: true,
    application: true,
    scoped: 'write',
    operator: 'key',
    isOfOneApplication: true,
    hint: 'The token has access "read"; consent makes or changes a connector, which needs "write".',
  },
  oauthApps: {
    needsToken: true,
    application: true,
    scoped: 'no',
    operator: 'key',
    isOfOneApplication: true,
    hint: "The OAuth apps of an application are for its own token, or the operator's key.",
  },
  connectSessionCreation: {
    needsToken: true,
    application: true,
    scoped: 'no',
    operator: 'key',
    isOfOneApplication: true,
    hint: "Connect sessions are made by the backend of the application, with its own token or the operator's key.",
  },
  connectSessionConfirmation: {
    needsToken: true,
    application: true,
    scoped: 'no',
    operator: 'key',
    hint: "Connect sessions are confirmed by the backend of the application, with its own token or the operator's key.",
  },
  connectSessionReading: {
    needsToken: true,
    application: true,
    scoped: 'no',
    operator: 'any',
    hint: "The connect sessions of an application are for its own token, or the operator's key.",
  },
  stats: {
    needsToken: true,
    application: true,
    scoped: 'no',
    operator: 'any',
    hint: "What happened in an application is for its own token, or the operator's key.",
  },
  deletions: {
    needsToken: true,
    application: true,
    scoped: 'no',
    operator: 'any',
    hint: "What an external user has is deleted, and jobs are read, with a token of the application, or the operator's key.",
  },
  mcp: {
    needsToken: true,
    application: false,
    scoped: 'any',
    operator: 'no',
    hint: 'Such a token does not belong in the hands of a model; use a scoped token.',
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
  if (isWithin(reach, access)) return;
  throw forbidden(
    access.type === 'operator' && reach.operator === 'key' ? BEHALF_HINT : reach.hint,
  );
}

function isWithin(reach: Reach, access: Access): boolean {
  if (access.type === 'application') return reach.application;
  if (access.type === 'operator')
    return reach.operator === 'any' || (reach.operator === 'key' && access.isKey);
  return reach.scoped === 'any' || (reach.scoped === 'write' && mayWrite(access));
}

/** Whether what is done by calls of that class is one application's, and the path does not tell whose. */
export function isOfOneApplication(routeClass: RouteClass): boolean {
  const reach: Reach = REACH[routeClass];
  return reach.isOfOneApplication === true;
}

/**
 * The application, or its external user, that a call acts for.
 *
 * @throws `forbidden` where it is the operator's.
 */
export function requireTenant(access: Access): TenantAccess {
  if (access.type === 'operator') throw forbidden(BEHALF_HINT);
  return access;
}

/** The error for what a token does not allow. */
export function forbidden(message: string | undefined): ConnectorError<'forbidden'> {
  return new ConnectorError('forbidden', {}, message === undefined ? {} : { message });
}
