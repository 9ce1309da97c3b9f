import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { ApplicationToken, ScopedToken, ScopedTokenInfo } from '@patchbay/connectors/wire';
import { isUuid } from '@patchbay/store';
import type { Applications } from '../access/applications.ts';
import { MAX_CLIENT_ID, MAX_CLIENT_SECRET } from '../access/client-secret.ts';
import type { RevokedTokens, WhichToken } from '../access/revoked-tokens.ts';
import { forbidden, requireTenant } from '../access/reach.ts';
import { APPLICATION_TOKEN_SECONDS, SCOPED_TOKEN_SECONDS, type Tokens } from '../access/tokens.ts';
import { checkBody, externalUserFaults, FaultList, unifySynonyms } from '../operations/input.ts';
import { loggableText } from './loggable-text.ts';
import { requireBody } from './require-body.ts';
import type { Answer, Call, PublicCall, Route } from './route.ts';
import { ref } from './schemas.ts';

interface TokenRouteParts {
  readonly applications: Applications;
  readonly tokens: Tokens;
  readonly revokedTokens: RevokedTokens;
}

/** Not quoted in errors, whatever they are. */
const SECRET_TEXT = { schema: Type.Unknown(), isRequired: true, expects: 'a string' };
const LOGIN_MEMBERS = { client_id: SECRET_TEXT, client_secret: SECRET_TEXT } as const;

const LONGEST_LOGIN = { client_id: MAX_CLIENT_ID, client_secret: MAX_CLIENT_SECRET } as const;

export const MAX_CONNECTOR_IDS = 100;
const SCOPE_MEMBERS = {
  external_user_id: {
    schema: Type.String(),
    isRequired: true,
    expects: 'a string of 1 to 4,096 characters',
  },
  access: {
    schema: Type.Union([Type.Literal('read'), Type.Literal('write')]),
    isRequired: false,
    expects: '"read" or "write"',
  },
  connector_ids: {
    schema: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_CONNECTOR_IDS }),
    isRequired: false,
    expects: `an array of 1 to ${MAX_CONNECTOR_IDS} connector ids`,
  },
} as const;

/** @see docs/wire.md#tokens */
export function tokenRoutes(parts: TokenRouteParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/account/applications/token',
      also: ['/api/v1/applications/token'],
      reach: 'public',
      waitsFor: 'database',
      doc: {
        summary: 'Log in: client id and secret for an application token',
        tag: 'Tokens',
        body: ref('TokenRequest'),
        answer: ApplicationToken,
      },
      handle: (call) => logIn(parts, call),
    },
    {
      method: 'POST',
      path: '/api/v1/account/applications/scoped-token',
      also: ['/api/v1/embedded/scoped-token'],
      reach: 'scopedToken',
      doc: {
        summary: 'A token for one external user',
        tag: 'Tokens',
        body: ref('ScopedTokenRequest'),
        answer: ScopedToken,
      },
      handle: (call) => mintScopedToken(parts, call),
    },
    {
      method: 'GET',
      path: '/api/v1/account/applications/scoped-token/info',
      also: ['/api/v1/embedded/scoped-token/info'],
      reach: 'scopedTokenInfo',
      doc: {
        summary: 'What the scoped token allows',
        tag: 'Tokens',
        answer: ScopedTokenInfo,
      },
      handle: describeScopedToken,
    },
    {
      method: 'POST',
      path: '/v1/tokens/revoke',
      reach: 'tokenRevocation',
      isBeyondRateLimit: true,
      doc: {
        summary:
          'Revoke one token, noticed within 1 s; again, or what is no token: the same answer',
        tag: 'Tokens',
        body: ref('TokenRevocation'),
        status: 204,
        type: 'text/plain',
      },
      handle: async (call) => {
        await parts.revokedTokens.revoke(call.access, whichToken(call));
        return { status: 204, text: '', type: 'text/plain' };
      },
    },
  ];
}

async function logIn({ applications, tokens }: TokenRouteParts, call: PublicCall): Promise<Answer> {
  const faults = new FaultList();
  const values = checkBody(LOGIN_MEMBERS, requireBody(call), faults);
  const { client_id: clientId, client_secret: clientSecret } = values;
  for (const [field, value] of Object.entries(values))
    if (typeof value !== 'string')
      faults.add({ field, errorCode: 'wrong_type', message: 'must be a string' });
  for (const [field, most] of Object.entries(LONGEST_LOGIN)) {
    const value = values[field];
    if (typeof value !== 'string' || value.length <= most) continue;
    const allowed = `at most ${most.toLocaleString('en')} characters`;
    faults.add({ field, errorCode: 'out_of_range', message: `must have ${allowed}`, allowed });
  }
  if (typeof clientId === 'string') call.log.clientId = unknownClientId(clientId);
  faults.throwAny();
  const { application } = await applications.logIn(String(clientId), String(clientSecret), {
    address: call.address,
    onKnown: () => {
      call.log.clientId = loggableText(String(clientId));
    },
  });
  const { id, organizationId } = application;
  return {
    status: 200,
    body: {
      access_token: await tokens.issueApplicationToken({ applicationId: id, organizationId }),
      token_type: 'bearer',
      expires_in: APPLICATION_TOKEN_SECONDS,
      application_id: id,
    },
  };
}

/**
 * Whoever mixes up id and secret, of whatever form and from wherever, shall not find the secret in the log; its
 * digest tells that it is the same one again.
 */
function unknownClientId(clientId: string): string {
  const digest = createHash('sha256').update(clientId).digest('hex');
  return `[unknown ${digest.slice(0, DIGEST_CHARACTERS)}]`;
}

const DIGEST_CHARACTERS = 12;

async function mintScopedToken({ tokens }: TokenRouteParts, call: Call): Promise<Answer> {
  const faults = new FaultList();
  const body = unifySynonyms(requireBody(call), 'external_user_id', faults);
  const values = checkBody(SCOPE_MEMBERS, body, faults);
  const { external_user_id: externalUserId, access, connector_ids: connectorIds } = values;
  faults.add(...externalUserFaults(externalUserId));
  const ids = Array.isArray(connectorIds) ? connectorIds.map(String) : undefined;
  for (const [index, id] of (ids ?? []).entries())
    if (!isUuid(id))
      faults.add({
        field: `connector_ids.${index}`,
        errorCode: 'not_allowed',
        message: 'must be the id of a connector, a UUID',
      });
  faults.throwAny();
  const { applicationId, organizationId } = requireTenant(call.access);
  const token = await tokens.issueScopedToken({
    applicationId,
    organizationId,
    externalUserId: String(externalUserId),
    access: access === 'read' ? 'read' : 'write',
    connectorIds: ids === undefined ? undefined : new Set(ids.map((id) => id.toLowerCase())),
  });
  return { status: 200, body: { token, expires_in: SCOPED_TOKEN_SECONDS } };
}

/** Neither is quoted in errors, whatever it is. */
const REVOCATION_MEMBERS = {
  token: { schema: Type.Unknown(), isRequired: false, expects: 'a token' },
  jti: { schema: Type.Unknown(), isRequired: false, expects: 'the id of a token, a UUID' },
} as const;

function whichToken(call: Call): WhichToken {
  const faults = new FaultList();
  const { token, jti } = checkBody(REVOCATION_MEMBERS, requireBody(call), faults);
  if ((token === undefined) === (jti === undefined))
    faults.add({
      field: 'token',
      errorCode: 'missing',
      message: 'or jti is required, and one alone',
    });
  if (token !== undefined && typeof token !== 'string')
    faults.add({ field: 'token', errorCode: 'wrong_type', message: 'must be a string' });
  if (jti !== undefined && (typeof jti !== 'string' || !isUuid(jti)))
    faults.add({ field: 'jti', errorCode: 'not_allowed', message: 'must be a UUID' });
  faults.throwAny();
  return typeof token === 'string' ? { token } : { jti: String(jti) };
}

function describeScopedToken({ access, expiresAt }: Call): Answer {
  if (access.type !== 'scoped') throw forbidden(undefined);
  return {
    status: 200,
    body: {
      organization_id: access.organizationId,
      external_user_id: access.externalUserId,
      access: access.access,
      expires_at: new Date(expiresAt).toISOString(),
    },
  };
}
