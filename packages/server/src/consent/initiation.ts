import { ConnectorError, type Clock, type ConnectorKind } from '@patchbay/connectors';
import { invalidRequest } from '@patchbay/connectors/engine';
import type { Store } from '@patchbay/store';
import type { TenantAccess } from '../access/access.ts';
import { requireAllowedReturnUrl, type AllowedUrls } from '../access/allowed-urls.ts';
import { forbidden } from '../access/reach.ts';
import type { Connectors } from '../operations/connectors.ts';
import { checkInitiate, type InitiateInput } from './consent-input.ts';
import type { ConsentRequest } from './consent-request.ts';
import type { Consents } from './consents.ts';

export interface InitiationParts {
  readonly consents: Pick<Consents, 'initiate'>;
  readonly connectors: Pick<Connectors, 'require'>;
  readonly store: Pick<Store, 'applications'>;
  /** Whether the service can be reached from its own machine only. */
  readonly isLoopbackService: () => boolean;
  readonly clock: Clock;
}

/** Consents that applications ask for by themselves, without a connect session. */
export class Initiation {
  readonly #parts: InitiationParts;

  constructor(parts: InitiationParts) {
    this.#parts = parts;
  }

  /**
   * The address to send a person to.
   *
   * @throws as creating a connector; `invalid_request` for a redirect URL that is not on the application's
   * list; `connector_not_found`; `oauth_not_configured`; `rate_limited`.
   */
  async initiate(access: TenantAccess, body: Readonly<Record<string, unknown>>): Promise<string> {
    const { consents, clock, isLoopbackService } = this.#parts;
    const application = await this.#require(access.applicationId);
    const options = { isLoopbackService: isLoopbackService(), field: 'redirect_url' };
    const input = checkInitiate(body, {
      nowMs: clock.now(),
      requiresUser: access.type === 'application',
      judgeRedirectUrl: (text) => requireAllowedReturnUrl(application, text, options).href,
    });
    // The page names them, to warn whoever is somebody else: so they do not choose it themselves.
    if (input.userLabel !== undefined && access.type === 'scoped')
      throw forbidden('Only the application says what its users are called: leave out user_label.');
    const { redirectUrl } = input;
    const label = input.userLabel === undefined ? {} : { userLabel: input.userLabel };
    const { applicationId } = access;
    if ('connectorId' in input.of) {
      const { row, kind } = await this.#parts.connectors.require(access, input.of.connectorId);
      requireSame(input, input.of.kind, { kind, externalUserId: row.externalUserId });
      const { id: connectorId, name, externalUserId, config, replicationConfig } = row;
      const purpose = { name, replicationConfig, connectorId, redirectUrl, ...label } as const;
      return consents.initiate({
        applicationId,
        externalUserId,
        kind,
        config,
        purpose: { for: 'connector', ...purpose },
      });
    }
    const { kind, config, name, replicationConfig } = input.of;
    const request: ConsentRequest = {
      applicationId,
      externalUserId: userOf(access, input.externalUserId),
      kind,
      config,
      purpose: { for: 'connector', name, replicationConfig, redirectUrl, ...label },
    };
    return consents.initiate(request);
  }

  async #require(applicationId: string): Promise<AllowedUrls> {
    const application = await this.#parts.store.applications.findById(applicationId);
    if (application !== undefined) return application;
    throw new ConnectorError('unauthenticated', {}, { message: 'The application is gone.' });
  }
}

/** The user of a new connector. @throws `forbidden` for another than the token's. */
function userOf(access: TenantAccess, externalUserId: string | undefined): string {
  if (access.type === 'scoped') {
    if (access.connectorIds !== undefined)
      throw forbidden('The token is for certain connectors; it cannot create others.');
    if (externalUserId !== undefined && externalUserId !== access.externalUserId)
      throw forbidden('The token is for another external user.');
    return access.externalUserId;
  }
  if (externalUserId === undefined) throw new Error('checkInitiate has required the user');
  return externalUserId;
}

/** @throws `invalid_request` where kind or user are said and are not those of the connector. */
function requireSame(
  { externalUserId }: InitiateInput,
  kind: ConnectorKind | undefined,
  of: { readonly kind: ConnectorKind; readonly externalUserId: string },
): void {
  const wrong = [
    ...(kind !== undefined && kind !== of.kind ? ['connector_type'] : []),
    ...(externalUserId !== undefined && externalUserId !== of.externalUserId
      ? ['external_user_id']
      : []),
  ];
  if (wrong.length === 0) return;
  const message = 'is another one than that of the connector of connector_id';
  throw invalidRequest(wrong.map((field) => ({ field, errorCode: 'conflict', message })));
}
