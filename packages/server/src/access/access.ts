/** What an application may do: everything that belongs to itself. */
export interface ApplicationAccess {
  readonly type: 'application';
  readonly applicationId: string;
  readonly organizationId: string;
  /** The operator's key acts in its place: what there may be at once is the operator's. */
  readonly isByOperator?: true;
}

/** What the holder of a scoped token may do: for one external user, within limits. */
export interface ScopedAccess {
  readonly type: 'scoped';
  readonly applicationId: string;
  readonly organizationId: string;
  readonly externalUserId: string;
  readonly access: 'read' | 'write';
  /** Only these connectors, where given. */
  readonly connectorIds: ReadonlySet<string> | undefined;
}

/** What the operator's key, or a token that the console got for it, allows: what belongs to any application. */
export interface OperatorAccess {
  readonly type: 'operator';
  /** The key itself: it also acts in the place of an application, which no token of a page does. */
  readonly isKey: boolean;
}

/** On whose behalf a call is made: an application, or one of its external users. */
export type TenantAccess = ApplicationAccess | ScopedAccess;

/** What a verified token, or the operator's key, gives its bearer. */
export type Access = TenantAccess | OperatorAccess;

/** A verified token, or the operator's key. */
export interface VerifiedToken {
  readonly access: Access;
  /** A UUID; the operator's key has none. */
  readonly tokenId?: string;
  /** Milliseconds since 1970; the operator's key has no end. */
  readonly expiresAt: number;
}

/** Whether a connector of that application, external user and id is within reach. */
export function reaches(
  access: Access,
  connector: {
    readonly id: string;
    readonly applicationId: string;
    readonly externalUserId: string;
  },
): boolean {
  if (access.type === 'operator') return true;
  if (connector.applicationId !== access.applicationId) return false;
  if (access.type === 'application') return true;
  return (
    connector.externalUserId === access.externalUserId &&
    (access.connectorIds === undefined || access.connectorIds.has(connector.id))
  );
}

/** A person who was asked for an external user acts for that user, and on nothing but that connector. */
export function accessOfPerson(
  {
    applicationId,
    externalUserId,
  }: { readonly applicationId: string; readonly externalUserId: string },
  { organizationId }: { readonly organizationId: string },
  connectorId: string,
): ScopedAccess {
  return {
    type: 'scoped',
    applicationId,
    organizationId,
    externalUserId,
    access: 'write',
    connectorIds: new Set([connectorId]),
  };
}

/**
 * Whose keys are one: those of an application, also where the operator acts in its place, or of one of its external users.
 * Stored with what was made by them.
 */
export function keyHolderOf(access: Access): string {
  if (access.type === 'operator') return 'operator';
  const { applicationId } = access;
  return access.type === 'scoped'
    ? `user ${applicationId} ${access.externalUserId}`
    : `application ${applicationId}`;
}

/** Whether the access allows changes: of connectors, and upstream. */
export function mayWrite(access: Access): boolean {
  return access.type !== 'scoped' || access.access === 'write';
}
