import { newIdempotencyKey, type Patchbay } from '@patchbay/client';

/** A link that was made; the service tells it this once. */
export interface ConnectLink {
  readonly id: string;
  readonly connect_url: string;
  /** ISO 8601. */
  readonly expires_at: string;
  readonly externalUserId: string;
}

/** How far the session of a link is. */
export interface ConnectLinkStatus {
  readonly status: string;
  readonly account: { readonly id: string; readonly name: string | null } | null;
  readonly connector_id: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

interface LinkRequest {
  readonly externalUserId: string;
  /** Empty where the page shall call the person by the id. */
  readonly userLabel: string;
  /** None for every kind. */
  readonly kinds: readonly string[];
}

/** @see docs/wire.md#connect-sessions */
export async function makeConnectLink(
  service: Patchbay,
  { externalUserId, userLabel, kinds }: LinkRequest,
): Promise<ConnectLink> {
  const made = await service.request('POST', '/v1/connect-sessions', {
    body: {
      external_user_id: externalUserId,
      ...(userLabel === '' ? {} : { user_label: userLabel }),
      ...(kinds.length === 0 ? {} : { connector_types: kinds }),
    },
    idempotencyKey: newIdempotencyKey(),
  });
  return { ...(made as Omit<ConnectLink, 'externalUserId'>), externalUserId };
}
