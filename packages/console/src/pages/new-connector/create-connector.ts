import type { ConnectorInfo, KindDescription, Patchbay } from '@patchbay/client';
import type { FieldSpec } from '../../parts/values/field-spec.ts';
import type { Values } from '../../parts/values/use-values.ts';
import { consentedUrl } from '../connector/settings/consent-return.ts';
import type { ConnectorFields } from './connector-fields.ts';

/** A connector as the form says it shall be. */
export interface ConnectorDraft {
  readonly external_user_id: string;
  readonly connector_type: string;
  readonly name: string;
  readonly credentials: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly replication_config: Readonly<Record<string, unknown>>;
}

/** What the fields say, as the service takes it. */
export function newConnectorOf(
  { kind }: KindDescription,
  { credentials, config, replication }: ConnectorFields,
  values: Values,
): ConnectorDraft {
  const below = (specs: readonly FieldSpec[]) => values.valuesOf(specs);
  return {
    external_user_id: (values.entered['external_user_id'] ?? '').trim(),
    connector_type: kind,
    name: (values.entered['name'] ?? '').trim(),
    credentials: below(credentials),
    config: below(config),
    replication_config: below(replication),
  };
}

/** @see docs/wire.md#create-a-connector */
export async function createConnector(
  service: Patchbay,
  draft: ConnectorDraft & { readonly verify: boolean },
  idempotencyKey: string,
): Promise<ConnectorInfo> {
  const made = await service.request('POST', '/v1/integrations/connectors', {
    body: draft,
    idempotencyKey,
  });
  return made as ConnectorInfo;
}

/**
 * Where the person goes who consents at the vendor, and from there back here.
 *
 * @throws `oauth_not_configured`, which says what to set.
 * @see docs/wire.md#oauth-consent
 */
export async function consentUrl(service: Patchbay, draft: ConnectorDraft): Promise<string> {
  const { external_user_id, connector_type, name, config, replication_config } = draft;
  const answer = await service.request('POST', '/v1/integrations/connectors/oauth/initiate', {
    body: {
      external_user_id,
      connector_type,
      name,
      config,
      replication_config,
      redirect_url: consentedUrl(),
    },
  });
  return (answer as { readonly consent_url: string }).consent_url;
}
