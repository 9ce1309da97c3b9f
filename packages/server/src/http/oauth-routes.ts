import { findKind } from '@patchbay/connectors/engine';
import { ConsentUrl, OAuthAppInfo, OAuthAppList } from '@patchbay/connectors/wire';
import type { OAuthAppRow } from '@patchbay/store';
import { requireTenant } from '../access/reach.ts';
import { checkApp } from '../consent/consent-input.ts';
import type { Initiation } from '../consent/initiation.ts';
import type { OAuthApps } from '../consent/oauth-apps.ts';
import { pathParameter, requireBody } from './require-body.ts';
import type { Route } from './route.ts';
import { ref } from './schemas.ts';

const TAG = 'Consent';
const INITIATE = '/integrations/connectors/oauth/initiate';
const CREDENTIALS = '/api/v1/oauth/credentials';

interface OAuthRouteParts {
  readonly initiation: Initiation;
  readonly apps: OAuthApps;
}

/** @see docs/wire.md#oauth-consent */
export function oauthRoutes({ initiation, apps }: OAuthRouteParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: `/v1${INITIATE}`,
      also: [`/api/v1${INITIATE}`],
      reach: 'consent',
      doc: {
        summary: 'Ask a person for consent: the address to send them to',
        tag: TAG,
        body: ref('ConsentRequest'),
        answer: ConsentUrl,
      },
      handle: async (call) => ({
        status: 200,
        body: {
          consent_url: await initiation.initiate(requireTenant(call.access), requireBody(call)),
        },
      }),
    },
    {
      method: 'PUT',
      path: CREDENTIALS,
      reach: 'oauthApps',
      doc: {
        summary: "Give the application an OAuth app of its own, in place of the operator's",
        tag: TAG,
        body: ref('OAuthAppRequest'),
        answer: OAuthAppInfo,
      },
      handle: async (call) => {
        const { kind, app } = checkApp(requireBody(call));
        const { applicationId } = requireTenant(call.access);
        return { status: 200, body: viewApp(await apps.put(applicationId, kind, app)) };
      },
    },
    {
      method: 'GET',
      path: CREDENTIALS,
      reach: 'oauthApps',
      doc: { summary: "The application's own OAuth apps", tag: TAG, answer: OAuthAppList },
      handle: async ({ access }) => {
        const rows = await apps.list(requireTenant(access).applicationId);
        return { status: 200, body: { data: rows.map(viewApp), next: null } };
      },
    },
    {
      method: 'DELETE',
      path: `${CREDENTIALS}/connector_type/:kind`,
      reach: 'oauthApps',
      doc: {
        summary: "Delete the application's own OAuth app of a kind",
        tag: TAG,
        status: 204,
        type: 'text/plain',
      },
      handle: async (call) => {
        const { applicationId } = requireTenant(call.access);
        await apps.delete(applicationId, findKind(pathParameter(call, 'kind')));
        return { status: 204, text: '', type: 'text/plain' };
      },
    },
  ];
}

function viewApp({ id, kind, createdAt, updatedAt }: OAuthAppRow): OAuthAppInfo {
  return {
    id,
    connector_type: kind,
    connector_definition_id: findKind(kind).definitionId,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
