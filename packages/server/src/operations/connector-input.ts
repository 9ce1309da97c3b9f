import { Type } from 'typebox';
import { ConnectorError, type ConnectorKind, type Fault } from '@patchbay/connectors';
import {
  allKinds,
  checkConfig,
  checkCredentials,
  checkReplicationConfig,
  findKind,
  findKindByDefinitionId,
  isJsonObject,
  kindsInWords,
  type CheckedCredentials,
} from '@patchbay/connectors/engine';
import {
  checkBody,
  externalUserFaults,
  FaultList,
  nameFaults,
  SYNONYMS,
  unifySynonyms,
} from './input.ts';

type Json = Readonly<Record<string, unknown>>;

/** A connector that is to be created, checked. */
export interface CheckedConnector {
  readonly externalUserId: string;
  readonly kind: ConnectorKind;
  readonly name: string;
  readonly credentials: CheckedCredentials;
  readonly config: Json;
  readonly replicationConfig: Json | null;
  /** The credentials are to be tried before anything is stored. */
  readonly mustVerify: boolean;
}

/** What stands in for missing members, for clients that send less. */
export interface NewConnectorDefaults {
  readonly externalUserId?: string | undefined;
  readonly usesKindName?: boolean;
}

const NAME = {
  schema: Type.String(),
  isRequired: true,
  expects: 'a string of 1 to 255 characters',
};
/** Judged by checks of their own, which never quote a value. */
const UNJUDGED = { schema: Type.Unknown(), isRequired: false, expects: 'an object' };

const CREATE_MEMBERS = {
  external_user_id: {
    schema: Type.String(),
    isRequired: true,
    expects: 'a string of 1 to 4,096 characters',
  },
  connector_type: { schema: Type.String(), isRequired: false, expects: 'a connector kind' },
  definition_id: { schema: Type.String(), isRequired: false, expects: 'a definition id' },
  name: NAME,
  credentials: { ...UNJUDGED, isRequired: true },
  replication_config: UNJUDGED,
  config: UNJUDGED,
  verify: { schema: Type.Boolean(), isRequired: false, expects: 'true or false' },
} as const;

/**
 * Checks the body of a create call.
 *
 * @throws `invalid_request` with everything that is wrong, or the one code that says it all:
 * `unknown_connector_type`, `invalid_credentials`, `invalid_replication_config`, `invalid_config`.
 * @see docs/wire.md#create-a-connector
 */
export function checkNewConnector(body: Json, defaults: NewConnectorDefaults): CheckedConnector {
  const faults = new FaultList();
  const input = withDefaults(canonicalMembers(body, faults), defaults);
  const isNameRequired = defaults.usesKindName !== true;
  const members = { ...CREATE_MEMBERS, name: { ...NAME, isRequired: isNameRequired } };
  const values = checkBody(members, input, faults);
  faults.add(...externalUserFaults(values['external_user_id']), ...nameFaults(values['name']));
  const kind = checkKind(values, faults);
  const { credentials, replication_config, config } = values;
  if (kind === undefined) faults.add(...notObjects({ credentials, replication_config, config }));
  const checked = kind && {
    credentials:
      credentials === undefined
        ? undefined
        : faults.collect(() => checkCredentials(kind, credentials)),
    replicationConfig: faults.collect(() => checkReplicationConfig(kind, replication_config)),
    config: faults.collect(() => checkConfig(kind, config)),
  };
  faults.throwAny();
  // Nothing is missing or wrong, or `throwAny` had thrown.
  const named = kind as ConnectorKind;
  return {
    ...(checked as Pick<CheckedConnector, 'credentials' | 'replicationConfig' | 'config'>),
    kind: named,
    externalUserId: values['external_user_id'] as string,
    name: (values['name'] as string | undefined) ?? named.displayName,
    mustVerify: values['verify'] === true,
  };
}

/** What is wrong whatever the kind is. */
function notObjects(members: Json): readonly Fault[] {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined && !isJsonObject(value))
    .map(([field]) => ({ field, errorCode: 'wrong_type', message: 'must be an object' }));
}

/** A change of a connector; absent members stay as they are. */
export interface ConnectorPatch {
  readonly name?: string;
  readonly isPaused?: boolean;
  readonly isDisabled?: boolean;
  readonly credentials?: CheckedCredentials;
  /** The credentials were not typed in, but issued to us by a person's consent. */
  readonly isConsented?: boolean;
  /** No client secret came along: the one that the credentials have, if any, was stored before. */
  readonly keepsClientSecret?: boolean;
  /** The credentials may be of another account or person, or those that are there at another address. */
  readonly mayReplace: boolean;
  readonly config?: Json;
  readonly replicationConfig?: Json | null;
}

/** What a patch is merged with. */
export interface PatchedConnector {
  readonly kind: ConnectorKind;
  readonly config: Json;
  readonly replicationConfig: Json | null;
  readonly credentials: CheckedCredentials;
}

const PATCH_MEMBERS = {
  name: { ...NAME, isRequired: false },
  paused: { schema: Type.Boolean(), isRequired: false, expects: 'true or false' },
  disabled: { schema: Type.Boolean(), isRequired: false, expects: 'true or false' },
  credentials: UNJUDGED,
  replace_account: { schema: Type.Boolean(), isRequired: false, expects: 'true or false' },
  replication_config: UNJUDGED,
  config: UNJUDGED,
} as const;

const FIXED: readonly string[] = [
  'external_user_id',
  ...SYNONYMS.external_user_id,
  'connector_type',
  'definition_id',
];

/**
 * Checks the body of a change. Replication config and config merge member by member. Credentials
 * that are whole replace the old ones; a part of one method's fields merges with them.
 *
 * @throws as `checkNewConnector`.
 */
export function checkConnectorPatch(body: Json, present: PatchedConnector): ConnectorPatch {
  const { kind } = present;
  const faults = new FaultList();
  faults.add(
    ...Object.keys(body)
      .filter((name) => isFixed(name) && body[name] !== null)
      .map(fixedFault),
  );
  const changeable = Object.fromEntries(Object.entries(body).filter(([name]) => !isFixed(name)));
  const input = unifySynonyms(changeable, 'config', faults);
  const values = checkBody(PATCH_MEMBERS, input, faults);
  faults.add(...nameFaults(values['name']));
  const { name, paused, disabled, credentials, replace_account, replication_config, config } =
    values;
  if (replace_account === true && credentials === undefined && config === undefined)
    faults.add({
      field: 'replace_account',
      errorCode: 'not_allowed',
      message: 'goes with credentials, or with config, only',
    });
  const merged = {
    ...given('credentials', credentials, (value) =>
      faults.collect(() => mergeCredentials(kind, present.credentials, value)),
    ),
    ...given('replicationConfig', replication_config, (value) =>
      faults.collect(() => checkReplicationConfig(kind, merge(present.replicationConfig, value))),
    ),
    ...given('config', config, (value) =>
      faults.collect(() => checkConfig(kind, merge(present.config, value))),
    ),
  };
  faults.throwAny();
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof paused === 'boolean' ? { isPaused: paused } : {}),
    ...(typeof disabled === 'boolean' ? { isDisabled: disabled } : {}),
    mayReplace: replace_account === true,
    ...(isJsonObject(credentials) && (credentials['client_secret'] ?? null) === null
      ? { keepsClientSecret: true }
      : {}),
    // What a check refused is undefined, but then `throwAny` had thrown.
    ...(merged as Pick<ConnectorPatch, 'credentials' | 'replicationConfig' | 'config'>),
  };
}

/** Whether credentials that a body has been merged into use stored secrets in a name that it says: a person's, or a client's. */
export function namesStoredSecrets(
  kind: ConnectorKind,
  { credentials: said }: Json,
  { method, values }: CheckedCredentials,
): boolean {
  if (!isJsonObject(said)) return false;
  const { fields = {} } = kind.auth[method] ?? {};
  const used = Object.keys(values).map((name) => {
    const { alias = name, isShown = false, isInstant = false } = fields[name] ?? {};
    const isGiven = [name, alias].some((each) => (said[each] ?? null) !== null);
    return { isGiven, isName: isShown && !isInstant, isSecret: !isShown };
  });
  return (
    used.some(({ isGiven, isName }) => isGiven && isName) &&
    used.some(({ isGiven, isSecret }) => !isGiven && isSecret)
  );
}

const KIND_NAMES = ['connector_type', 'definition_id'] as const;

/** The kind that a query or body names by type or definition id; `undefined` where it names none. */
export function checkKind(
  values: Readonly<{ connector_type?: unknown; definition_id?: unknown }>,
  faults: FaultList,
  options: { readonly isRequired: boolean } = { isRequired: true },
): ConnectorKind | undefined {
  const { connector_type: type, definition_id: id } = values;
  const byType = typeof type === 'string' ? faults.collect(() => findKind(type)) : undefined;
  const byId = typeof id === 'string' ? faults.collect(() => kindOfDefinition(id)) : undefined;
  if (byType !== undefined && byId !== undefined && byType !== byId)
    faults.add({
      field: 'definition_id',
      errorCode: 'conflict',
      message: `belongs to ${byId.kind}, but connector_type says ${byType.kind}`,
    });
  const isNamed = KIND_NAMES.some((name) => values[name] !== undefined || faults.has(name));
  if (!isNamed && options.isRequired)
    faults.add({
      field: 'connector_type',
      errorCode: 'missing',
      message: `is required: one of ${kindsInWords()}; definition_id does as well`,
      allowed: kindsInWords(),
    });
  return byType ?? byId;
}

function kindOfDefinition(id: string): ConnectorKind {
  const kind = findKindByDefinitionId(id);
  if (kind !== undefined) return kind;
  const allowed = allKinds().map(({ definitionId }) => definitionId);
  const message = `is that of no connector kind; there are ${definitionsInWords()}`;
  const fault = { field: 'definition_id', errorCode: 'not_allowed', message } as const;
  throw new ConnectorError(
    'unknown_connector_type',
    { given: id.slice(0, 80), allowed, faults: [{ ...fault, allowed: allowed.join(', ') }] },
    {
      message: `There is no connector kind with that definition_id; there are ${definitionsInWords()}.`,
    },
  );
}

function definitionsInWords(): string {
  return allKinds()
    .map((kind) => `${kind.definitionId} for ${kindsInWords([kind])}`)
    .join(', ');
}

function canonicalMembers(body: Json, faults: FaultList): Json {
  const named = unifySynonyms(body, 'external_user_id', faults);
  return unifySynonyms(named, 'config', faults);
}

function withDefaults(input: Json, { externalUserId }: NewConnectorDefaults): Json {
  return externalUserId === undefined || (input['external_user_id'] ?? null) !== null
    ? input
    : { ...input, external_user_id: externalUserId };
}

function mergeCredentials(
  kind: ConnectorKind,
  present: CheckedCredentials,
  value: unknown,
): CheckedCredentials {
  try {
    return checkCredentials(kind, value);
  } catch (error) {
    if (!isJsonObject(value)) throw error;
    const said = Object.entries(value).filter(([, each]) => each !== null);
    // Nothing new was given, so nothing says that what the upstream refused would work now.
    if (said.length === 0) throw error;
    const merged = { ...givenOf(kind, present, value), ...Object.fromEntries(said) };
    try {
      return checkCredentials(kind, merged);
    } catch {
      // What is wrong with the given part alone tells more than what is wrong with the mixture.
      throw error;
    }
  }
}

/**
 * Of credentials as they are by now, the fields that a person may give. An access token that is given says nothing of
 * the end and the renewal of the one before, and a refresh token nothing of the access token before.
 */
function givenOf(
  kind: ConnectorKind,
  { method, values }: CheckedCredentials,
  value: Json,
): Readonly<Record<string, string>> {
  const { fields = {} } = kind.auth[method] ?? {};
  const isOfPair = ['access_token', 'refresh_token'].some((name) => (value[name] ?? null) !== null);
  const ofToken = isOfPair ? ['access_token', 'expires_at', 'refresh_token'] : [];
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name]) => fields[name] !== undefined && !ofToken.includes(name),
    ),
  );
}

/** An object merged over another; anything else is handed on for the check to refuse. */
function merge(present: Json | null, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const said = Object.entries(value).filter(([, each]) => each !== null);
  return { ...present, ...Object.fromEntries(said) };
}

function given<N extends string, T>(
  name: N,
  value: unknown,
  check: (value: unknown) => T,
): { readonly [K in N]?: T } {
  if (value === undefined) return {};
  // A computed key of a type parameter is typed as `string`.
  return { [name]: check(value) } as { readonly [K in N]?: T };
}

function isFixed(name: string): boolean {
  return FIXED.includes(name);
}

function fixedFault(field: string): Fault {
  return {
    field,
    errorCode: 'not_allowed',
    message: 'cannot be changed; create another connector instead',
  };
}
