import { Type } from 'typebox';
import type { ConnectorKind } from '@patchbay/connectors';
import {
  checkConfig,
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
  /** Not judged. */
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

/**
 * Checks the body of an initiate call.
 *
 * @throws `invalid_request` with everything that is wrong, or the one code that says it all, as creating a
 * connector does.
 * @see docs/wire.md#oauth-consent
 */
export function checkInitiate(body: Json, nowMs: number): InitiateInput {
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
    externalUserId: textOf(external_user_id),
    userLabel: textOf(user_label),
    redirectUrl: String(values['redirect_url']),
    of:
      typeof connector_id === 'string'
        ? { connectorId: connector_id, kind }
        : {
            // Nothing is missing or wrong, or `throwAny` had thrown.
            ...(checked as { readonly config: Json; readonly replicationConfig: Json | null }),
            kind: kind as ConnectorKind,
            name: textOf(name) ?? (kind as ConnectorKind).displayName,
          },
  };
}

const APP_MEMBERS = {
  connector_type: optional('a connector kind'),
  connector_definition_id: optional('a definition id'),
  definition_id: optional('a definition id'),
  configuration: { ...UNJUDGED, isRequired: true },
} as const;

const MAX_SCOPES = 100;
const SCOPE = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]{1,200}$/;
const SCOPES_EXPECT = `an array of 1 to ${MAX_SCOPES} scopes, or a string of them separated by spaces or commas`;

/**
 * Checks the body with which an application gives its own OAuth app; no value is quoted.
 *
 * @throws `invalid_request`, `invalid_config`, `unknown_connector_type`.
 */
export function checkApp(body: Json): { readonly kind: ConnectorKind; readonly app: ConsentApp } {
  const faults = new FaultList();
  const values = checkBody(APP_MEMBERS, body, faults);
  const { connector_type, connector_definition_id, definition_id, configuration } = values;
  const id = connector_definition_id ?? definition_id;
  const kind = checkKind(
    {
      ...(connector_type === undefined ? {} : { connector_type }),
      ...(id === undefined ? {} : { definition_id: id }),
    },
    faults,
  );
  if (configuration !== undefined && !isJsonObject(configuration))
    faults.add(fault('configuration', 'wrong_type', 'must be an object'));
  const given = isJsonObject(configuration) ? configuration : {};
  for (const name of Object.keys(given))
    if (!['client_id', 'client_secret', 'scopes', 'subdomain'].includes(name))
      faults.add(
        fault(
          `configuration.${name}`.slice(0, 80),
          'unknown',
          'is not known: there are client_id, client_secret, scopes, subdomain',
        ),
      );
  if (isJsonObject(configuration))
    for (const name of ['client_id', 'client_secret'])
      if (!isClientText(given[name]))
        faults.add(
          fault(`configuration.${name}`, 'missing', 'is required, a string without spaces'),
        );
  const scopes = scopesOf(given['scopes'] ?? undefined);
  if (scopes === 'wrong')
    faults.add(fault('configuration.scopes', 'wrong_type', `must be ${SCOPES_EXPECT}`));
  const subdomain = given['subdomain'] ?? undefined;
  const config =
    kind === undefined || subdomain === undefined
      ? {}
      : faults.collect(() => checkConfig(kind, { subdomain }));
  faults.throwAny();
  return {
    // Nothing is missing or wrong, or `throwAny` had thrown.
    kind: kind as ConnectorKind,
    app: {
      clientId: String(given['client_id']),
      clientSecret: String(given['client_secret']),
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

function fault(field: string, errorCode: 'missing' | 'wrong_type' | 'unknown', message: string) {
  return { field, errorCode, message } as const;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
