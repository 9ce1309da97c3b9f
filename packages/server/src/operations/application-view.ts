import type {
  Application as ApplicationOnWire,
  ApplicationSecret as SecretOnWire,
  ListedApplication,
} from '@patchbay/connectors/wire';
import type { Application, ApplicationSecret } from '@patchbay/store';

/** @see docs/wire.md#applications */
export function viewListedApplication(application: Application): ListedApplication {
  return {
    id: application.id,
    name: application.name,
    client_id: application.clientId,
    organization_id: application.organizationId,
    allowed_origins: [...application.allowedOrigins],
    allowed_return_urls: [...application.allowedReturnUrls],
    rate_limit: application.callsPerMinute,
    created_at: application.createdAt.toISOString(),
    updated_at: application.updatedAt.toISOString(),
    revoked_at: application.revokedAt?.toISOString() ?? null,
  };
}

export function viewApplication(
  application: Application,
  secrets: readonly ApplicationSecret[],
): ApplicationOnWire {
  return { ...viewListedApplication(application), secrets: secrets.map(viewSecret) };
}

export function viewSecret({ id, createdAt }: ApplicationSecret): SecretOnWire {
  return { id, created_at: createdAt.toISOString() };
}
