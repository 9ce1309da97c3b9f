import { Type } from 'typebox';
import type { ConnectorKind } from '@patchbay/connectors';
import {
  checkConfig,
  checkMembers,
  completeReplicationConfig,
  isJsonObject,
  MAX_CREDENTIAL,
} from '@patchbay/connectors/engine';
import { checkKind } from '../operations/connector-input.ts';
import {
  checkBody,
  externalUserFaults,
  FaultList,
  labelFaults,
  nameFaults,
  unifySynonyms,
} from '../operations/input.ts';
import type { ConsentApp } from './oauth-apps.ts';

type Json = Readonly<Record<string, unknown>>;

const TEXT = Type.String();
const optional = (expects: string, schema = TEXT) => ({ schema, isRequired: false, expects });
/** Judged by checks of their own, which never quote a value. */
const UNJUDGED = { schema: Type.Unknown(), isRequired: false, expects: 'an object' };

const INITIATE_MEMBERS = {
  external_user_id: optional('a string of 1 to 4,096 characters'),
  user_label: optional('a string of 1 to 255 characters'),
  connector_type: optional('a connector kind'),
  definition_id: optional('a definition id'),
  connector_id: optional('the id of a connector'),
  redirect_url: { ...optional('a URL'), isRequired: true },
  name: optional('a string of 1 to 255 characters'),
  replication_config: UNJUDGED,
  config: UNJUDGED,
} as const;

/** What a consent is asked for, as far as the request alone says. */
export interface InitiateInput {
  readonly externalUserId: string | undefined;
  readonly userLabel: string | undefined;
  readonly redirectUrl: string;
  /** Another connector, or one that gets other credentials; a kind that is said has to be its own. */
  readonly of:
    | {
        readonly kind: ConnectorKind;
        readonly name: string;
        readonly config: Json;
        readonly replicationConfig: Json | null;
      }
    | { readonly connectorId: string; readonly kind: ConnectorKind | undefined };
}

/** What an existing connector has already, and consent does not change. */
const OF_NEW_ONES = ['name', 'replication_config', 'config'];

/** What else decides about the body of an initiate call. */
export interface InitiateJudges {
  readonly nowMs: number;
  /** Whether a new connector's user has to be said, since no token says it. */
  readonly requiresUser: boolean;
  /** The redirect URL as it may be used. @throws `invalid_request` */
  readonly judgeRedirectUrl: (text: string) => string;
}

/**
 * Checks the body of an initiate call.
 *
 * @throws `invalid_request` with everything that is wrong, or the one code that says it all, as creating a
 * connector does.
 * @see docs/wire.md#oauth-consent
 */
export function checkInitiate(body: Json, judges: InitiateJudges): InitiateInput {
  const { nowMs, requiresUser, judgeRedirectUrl } = judges;
  const faults = new FaultList();
  const named = unifySynonyms(body, 'external_user_id', faults);
  const values = checkBody(INITIATE_MEMBERS, unifySynonyms(named, 'config', faults), faults);
  const { external_user_id, user_label, connector_id, name, replication_config, config } = values;
  faults.add(
    ...externalUserFaults(external_user_id),
    ...labelFaults('user_label', user_label),
    ...nameFaults(name),
  );
  const isReconnect = connector_id !== undefined;
  const isUserMissing = external_user_id === undefined && !faults.has('external_user_id');
  if (requiresUser && !isReconnect && isUserMissing)
    faults.add({
      field: 'external_user_id',
      errorCode: 'missing',
      message: `is required: ${INITIATE_MEMBERS.external_user_id.expects}`,
    });
  const url = textOf(values['redirect_url']);
  const redirectUrl =
    url === undefined ? undefined : faults.collect(() => judgeRedirectUrl(url), 'redirect_url');
  const kind = checkKind(values, faults, { isRequired: !isReconnect });
  if (isReconnect)
    for (const field of OF_NEW_ONES.filter((each) => values[each] !== undefined))
      faults.add({
        field,
        errorCode: 'not_allowed',
        message: 'goes with a new connector only; the connector of connector_id has its own',
      });
  const checked = isReconnect
    ? undefined
    : kind && {
        config: faults.collect(() => checkConfig(kind, config)),
        replicationConfig: faults.collect(() =>
          completeReplicationConfig(kind, replication_config, nowMs),
        ),
      };
  faults.throwAny();
  return {
    // Nothing is missing or wrong, or `throwAny` had thrown: here and below.
    externalUserId: textOf(external_user_id),
    userLabel: textOf(user_label),
    redirectUrl: redirectUrl as string,
    of:
      typeof connector_id === 'string'
        ? { connectorId: connector_id, kind }
        : {
            ...(checked as { readonly config: Json; readonly replicationConfig: Json | null }),
            kind: kind as ConnectorKind,
            name: textOf(name) ?? (kind as ConnectorKind).displayName,
          },
  };
}

const MAX_SCOPES = 100;

const APP_MEMBERS = {
  connector_type: optional('a connector kind'),
  definition_id: optional('a definition id'),
  configuration: { ...UNJUDGED, isRequired: true },
} as const;

const CLIENT_TEXT = 'a string without spaces';
const SCOPES_EXPECT = `an array of 1 to ${MAX_SCOPES} scopes, or a string of them separated by spaces or commas`;
const CONFIGURATION_MEMBERS = {
  client_id: { ...UNJUDGED, isRequired: true, expects: CLIENT_TEXT },
  client_secret: { ...UNJUDGED, isRequired: true, expects: CLIENT_TEXT },
  scopes: { ...UNJUDGED, expects: SCOPES_EXPECT },
  subdomain: UNJUDGED,
} as const;

const SCOPE = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]{1,200}$/;

/**
 * Checks the body with which an application gives its own OAuth app; no value is quoted.
 *
 * @throws `invalid_request`, `invalid_config`, `unknown_connector_type`.
 */
export function checkApp(body: Json): { readonly kind: ConnectorKind; readonly app: ConsentApp } {
  const faults = new FaultList();
  const values = checkBody(APP_MEMBERS, unifySynonyms(body, 'definition_id', faults), faults);
  const kind = checkKind(values, faults);
  const { configuration } = values;
  if (configuration !== undefined && !isJsonObject(configuration))
    faults.add(fault('configuration', 'wrong_type', 'must be an object'));
  const given = isJsonObject(configuration)
    ? checkMembers(CONFIGURATION_MEMBERS, configuration, 'configuration')
    : { values: {}, faults: [] };
  faults.add(...given.faults);
  const app: Json = given.values;
  for (const name of ['client_id', 'client_secret'])
    if (app[name] !== undefined && !isClientText(app[name]))
      faults.add(fault(`configuration.${name}`, 'wrong_type', `must be ${CLIENT_TEXT}`));
  const scopes = scopesOf(app['scopes']);
  if (scopes === 'wrong')
    faults.add(fault('configuration.scopes', 'wrong_type', `must be ${SCOPES_EXPECT}`));
  const { subdomain } = app;
  const config =
    kind === undefined || subdomain === undefined
      ? {}
      : faults.collect(() => checkConfig(kind, { subdomain }, 'configuration'));
  faults.throwAny();
  return {
    // Nothing is missing or wrong, or `throwAny` had thrown.
    kind: kind as ConnectorKind,
    app: {
      clientId: String(app['client_id']),
      clientSecret: String(app['client_secret']),
      ...(scopes === undefined || scopes === 'wrong' ? {} : { scopes }),
      ...(typeof config?.['subdomain'] === 'string' ? { subdomain: config['subdomain'] } : {}),
    },
  };
}

/** The scopes that a text lists, or an array; `undefined` for none at all. */
export function scopesOf(value: unknown): readonly string[] | undefined | 'wrong' {
  if (value === undefined) return undefined;
  const scopes: readonly unknown[] =
    typeof value === 'string'
      ? value.split(/[\s,]+/).filter((each) => each !== '')
      : Array.isArray(value)
        ? value
        : [];
  const isRight = scopes.length > 0 && scopes.length <= MAX_SCOPES && scopes.every(isScope);
  return isRight ? scopes : 'wrong';
}

function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value);
}

function isClientText(value: unknown): boolean {
  return (
    typeof value === 'string' && value.length <= MAX_CREDENTIAL && /^[\x21-\x7e]+$/.test(value)
  );
}

function fault(field: string, errorCode: 'wrong_type', message: string) {
  return { field, errorCode, message } as const;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
