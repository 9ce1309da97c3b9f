import { Type } from 'typebox';
import {
  ConnectorError,
  faultsOf,
  isConnectorError,
  type ConnectorKind,
  type Fault,
} from '@patchbay/connectors';
import {
  allKinds,
  checkConfig,
  checkCredentials,
  checkMembers,
  completeReplicationConfig,
  findKind,
  isJsonObject,
  kindsInWords,
  type CheckedCredentials,
} from '@patchbay/connectors/engine';
import { parseReturnUrl } from '@patchbay/connectors/wire';
import {
  requireAllowedOrigin,
  requireAllowedReturnUrl,
  type AllowedUrls,
} from '../access/allowed-urls.ts';
import {
  checkBody,
  externalUserFaults,
  FaultList,
  labelFaults,
  MAX_NAME,
  unifySynonyms,
} from '../operations/input.ts';

type Json = Readonly<Record<string, unknown>>;

/** How the page looks, checked. */
export interface Branding {
  readonly name: string | null;
  readonly logo_url: string | null;
  /** Six hex digits, in lower case. */
  readonly accent: string | null;
}

/** A session that is to be made, checked as far as that needs no look at connectors. */
export interface CheckedSession {
  readonly externalUserId: string;
  readonly userLabel: string | null;
  /** Undefined where nothing was said: all, or that of the connector. */
  readonly kinds: readonly ConnectorKind[] | undefined;
  readonly connectorId: string | undefined;
  readonly config: Json;
  readonly replicationConfig: Json | null;
  readonly returnUrl: string | null;
  readonly origin: string | null;
  readonly needsConfirmation: boolean;
  readonly branding: Branding | null;
}

/** Longest texts of a session that the page shows, in characters, and how many kinds it may name. */
export const MAX_LABEL = MAX_NAME;
export const MAX_BRAND_NAME = 100;
export const MAX_SESSION_KINDS = 100;

const text = (expects: string) => ({ schema: Type.String(), isRequired: false, expects });
const object = { schema: Type.Unknown(), isRequired: false, expects: 'an object' };

const SESSION_MEMBERS = {
  external_user_id: { ...text('a string of 1 to 4,096 characters'), isRequired: true },
  user_label: text(`a string of 1 to ${MAX_LABEL} characters`),
  connector_types: {
    schema: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_SESSION_KINDS }),
    isRequired: false,
    expects: 'an array of at least one connector kind',
  },
  connector_id: text('the id of a connector'),
  replication_config: object,
  config: object,
  return_url: text('a URL'),
  origin: text('an origin'),
  confirm: { schema: Type.Boolean(), isRequired: false, expects: 'true or false' },
  branding: object,
} as const;

const BRANDING_MEMBERS = {
  name: text(`a string of 1 to ${MAX_BRAND_NAME} characters`),
  logo_url: text('a URL'),
  accent: text('six hex digits, such as 1f6feb'),
} as const;

/**
 * Checks the body of a call that makes a session.
 *
 * @throws `invalid_request` with everything that is wrong, or the one code that says it all, as for a
 * new connector.
 * @see docs/wire.md#connect-sessions
 */
export function checkNewSession(
  body: Json,
  rules: {
    readonly application: AllowedUrls;
    readonly isLoopbackService: boolean;
    readonly nowMs: number;
  },
): CheckedSession {
  const faults = new FaultList();
  const input = unifySynonyms(unifySynonyms(body, 'external_user_id', faults), 'config', faults);
  const values = checkBody(SESSION_MEMBERS, input, faults);
  const { connector_id: connectorId, user_label: userLabel, confirm } = values;
  faults.add(
    ...externalUserFaults(values['external_user_id']),
    ...labelFaults('user_label', userLabel),
  );
  const kinds = checkKinds(values['connector_types'], faults);
  // Of a list that is wrong, nothing else follows.
  const judged = faults.has('connector_types') ? [] : (kinds ?? allKinds());
  const settings = checkSettings(values, { kinds: judged, nowMs: rules.nowMs }, faults);
  const { return_url: returnUrl, origin } = values;
  const checked = {
    returnUrl:
      typeof returnUrl === 'string'
        ? faults.collect(() => requireAllowedReturnUrl(rules.application, returnUrl, rules).href)
        : null,
    origin:
      typeof origin === 'string'
        ? faults.collect(() => requireAllowedOrigin(rules.application, origin, rules))
        : null,
    branding: checkBranding(values['branding'], rules, faults),
  };
  faults.throwAny();
  return {
    // Nothing is missing or wrong, or `throwAny` had thrown.
    ...(checked as Pick<CheckedSession, 'returnUrl' | 'origin' | 'branding'>),
    ...settings,
    externalUserId: values['external_user_id'] as string,
    userLabel: (userLabel as string | undefined) ?? null,
    kinds,
    connectorId: connectorId as string | undefined,
    needsConfirmation: confirm !== false,
  };
}

/** What a person has entered, checked. */
export interface CheckedEntry {
  readonly kind: ConnectorKind;
  readonly config: Json;
  readonly credentials: CheckedCredentials;
}

/** What a session says of what may be entered. */
export interface EntryRules {
  readonly kinds: readonly ConnectorKind[];
  /** What the application has said already, and nobody else may say. */
  readonly config: Json;
  /** Its config is what it is. */
  readonly isReconnection: boolean;
}

const ENTRY_MEMBERS = {
  connector_type: { ...text('one of the kinds of the session'), isRequired: true },
  method: { ...text('an auth method of the kind'), isRequired: true },
  // Judged by checks of their own, which never quote a value.
  credentials: { ...object, isRequired: true },
  config: object,
} as const;

/**
 * Checks what a person has entered, against what the session allows.
 *
 * @throws as `checkNewSession`; no value is told.
 */
export function checkEntry(body: Json, rules: EntryRules): CheckedEntry {
  const faults = new FaultList();
  const values = checkBody(ENTRY_MEMBERS, body, faults);
  const kind = checkChosenKind(values['connector_type'], rules, faults);
  const credentials = kind && checkMethod(kind, values, faults);
  const config = kind && checkEnteredConfig(kind, values['config'], { rules, faults });
  faults.throwAny();
  // Nothing is missing or wrong, or `throwAny` had thrown.
  return { kind, credentials, config } as CheckedEntry;
}

const CONSENT_MEMBERS = {
  connector_type: ENTRY_MEMBERS.connector_type,
  config: object,
} as const;

/** Checks what a person consents to, likewise. */
export function checkConsentEntry(
  body: Json,
  rules: EntryRules,
): Pick<CheckedEntry, 'kind' | 'config'> {
  const faults = new FaultList();
  const values = checkBody(CONSENT_MEMBERS, body, faults);
  const kind = checkChosenKind(values['connector_type'], rules, faults);
  const config = kind && checkEnteredConfig(kind, values['config'], { rules, faults });
  faults.throwAny();
  // Likewise.
  return { kind, config } as Pick<CheckedEntry, 'kind' | 'config'>;
}

function checkKinds(given: unknown, faults: FaultList): readonly ConnectorKind[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const named: readonly unknown[] = given;
  const found = named.map((type, index) =>
    faults.collect(() => findKind(String(type)), `connector_types.${index}`),
  );
  return [...new Set(found.filter((kind) => kind !== undefined))];
}

/** Whichever kind is chosen: what the application says has to be right for it. */
function checkSettings(
  { config, replication_config: replicationConfig, connector_id: connectorId }: Json,
  { kinds, nowMs }: { readonly kinds: readonly ConnectorKind[]; readonly nowMs: number },
  faults: FaultList,
): Pick<CheckedSession, 'config' | 'replicationConfig'> {
  if (connectorId !== undefined) {
    for (const [field, value] of Object.entries({ config, replication_config: replicationConfig }))
      if (value !== undefined)
        faults.add({ field, errorCode: 'not_allowed', message: OF_NEW_ONES });
    return { config: {}, replicationConfig: null };
  }
  let checked: Json = {};
  for (const kind of kinds) {
    const collect = <T>(check: () => T) =>
      faults.collect(kinds.length === 1 ? check : () => namingKind(kind, check));
    checked = collect(() => checkConfig(kind, config)) ?? checked;
    collect(() => completeReplicationConfig(kind, replicationConfig, nowMs));
  }
  return {
    config: checked,
    replicationConfig: isJsonObject(replicationConfig) ? replicationConfig : null,
  };
}

/** What a check says is wrong, with the kind that it is wrong for. */
function namingKind<T>({ kind }: ConnectorKind, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!isConnectorError(error)) throw error;
    const { code, retry, cause } = error;
    const named = (message: string) => `${message} (${kind})`;
    const faults = faultsOf(error).map((fault) => ({ ...fault, message: named(fault.message) }));
    const details: ConnectorError['details'] = Object.assign({}, error.details, { faults });
    throw new ConnectorError(code, details, { message: named(error.message), retry, cause });
  }
}

const OF_NEW_ONES = 'goes with a new connector only; one that there is keeps its own';

function checkBranding(
  given: unknown,
  rules: { readonly application: AllowedUrls; readonly isLoopbackService: boolean },
  faults: FaultList,
): Branding | null {
  if (given === undefined) return null;
  const field = 'branding';
  if (!isJsonObject(given)) {
    faults.add({ field, errorCode: 'wrong_type', message: 'must be an object' });
    return null;
  }
  const checked = checkMembers(BRANDING_MEMBERS, given, field);
  faults.add(...checked.faults);
  const { name, logo_url: logo, accent } = checked.values;
  faults.add(...labelFaults(`${field}.name`, name, MAX_BRAND_NAME), ...accentFaults(accent));
  return {
    name: typeof name === 'string' ? name : null,
    logo_url: typeof logo === 'string' ? checkLogo(logo, rules, faults) : null,
    accent: typeof accent === 'string' ? accent.toLowerCase() : null,
  };
}

function checkLogo(
  logo: string,
  rules: Parameters<typeof checkBranding>[1],
  faults: FaultList,
): string | null {
  const field = 'branding.logo_url';
  const url = parseReturnUrl(logo);
  if (url?.protocol !== 'https:') {
    const allowed = 'the https URL of an image';
    faults.add({ field, errorCode: 'not_allowed', message: `must be ${allowed}`, allowed });
    return null;
  }
  faults.collect(() => requireAllowedOrigin(rules.application, url.origin, { ...rules, field }));
  return url.href;
}

function accentFaults(accent: unknown): readonly Fault[] {
  if (typeof accent !== 'string' || /^[0-9a-f]{6}$/i.test(accent)) return [];
  const allowed = BRANDING_MEMBERS.accent.expects;
  const message = `must be ${allowed}`;
  return [{ field: 'branding.accent', errorCode: 'not_allowed', message, allowed }];
}

function checkChosenKind(
  given: unknown,
  { kinds }: EntryRules,
  faults: FaultList,
): ConnectorKind | undefined {
  if (typeof given !== 'string') return undefined;
  const kind = faults.collect(() => findKind(given));
  if (kind === undefined || kinds.includes(kind)) return kind;
  const allowed = kindsInWords(kinds);
  faults.add({
    field: 'connector_type',
    errorCode: 'not_allowed',
    message: `must be one of the kinds of the session: ${allowed}`,
    allowed,
  });
  return undefined;
}

/** What was chosen in a form decides what is missing, not what the fields that are there look like. */
function checkMethod(
  kind: ConnectorKind,
  { method: name, credentials: given }: Json,
  faults: FaultList,
): CheckedCredentials | undefined {
  if (typeof name !== 'string' || given === undefined) return undefined;
  const method = Object.hasOwn(kind.auth, name) ? kind.auth[name] : undefined;
  if (method === undefined) {
    const allowed = Object.keys(kind.auth).join(', ');
    const message = `must be one of ${allowed}`;
    faults.add({ field: 'method', errorCode: 'not_allowed', message, allowed });
    return undefined;
  }
  const has = (field: string) => isJsonObject(given) && (given[field] ?? '') !== '';
  const missing = Object.entries(method.fields).filter(
    ([field, { isRequired, alias = field }]) => isRequired && !has(field) && !has(alias),
  );
  faults.add(
    ...missing.map(([field]) => ({
      field: `credentials.${field}`,
      errorCode: 'missing' as const,
      message: `is required by the method ${method.label}`,
    })),
  );
  if (missing.length > 0) return undefined;
  const checked = faults.collect(() => checkCredentials(kind, given));
  if (checked === undefined || checked.method === name) return checked;
  const message = `belong to the method ${checked.method}`;
  faults.add({ field: 'credentials', errorCode: 'conflict', message });
  return undefined;
}

function checkEnteredConfig(
  kind: ConnectorKind,
  given: unknown,
  { rules, faults }: { readonly rules: EntryRules; readonly faults: FaultList },
): Json | undefined {
  const entered = faults.collect(() => checkConfig(kind, given));
  if (entered === undefined) return undefined;
  const { config, isReconnection } = rules;
  faults.add(
    ...Object.keys(entered)
      .filter((name) => isReconnection || Object.hasOwn(config, name))
      .map((name) => ({
        field: `config.${name}`,
        errorCode: 'not_allowed' as const,
        message: 'is known already, and cannot be changed here',
      })),
  );
  return { ...entered, ...config };
}
