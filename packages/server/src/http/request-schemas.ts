import {
  describeKind,
  type ActionDescription,
  type ConnectorKind,
  type KindDescription,
} from '@patchbay/connectors';
import { allKinds, MAX_CREDENTIAL, MAX_FIELDS } from '@patchbay/connectors/engine';
import { MAX_URL, type TrialConnector } from '@patchbay/connectors/wire';
import { MAX_CLIENT_ID, MAX_CLIENT_SECRET } from '../access/client-secret.ts';
import { MAX_ALLOWED_URLS, MAX_RATE_LIMIT } from '../operations/application-input.ts';
import { MAX_LINK_SECRET, MAX_OPERATOR_KEY } from '../console/sign-in-input.ts';
import { MAX_BRAND_NAME, MAX_LABEL, MAX_SESSION_KINDS } from '../connect-sessions/session-input.ts';
import { MAX_EXTERNAL_USER, MAX_NAME, SYNONYMS } from '../operations/input.ts';
import { SECRET } from '../random-secret.ts';
import { ref, schemaName } from './schemas.ts';
import { MAX_CONNECTOR_IDS } from './token-routes.ts';

type Members = Readonly<Record<string, object>>;

/** The body of a call, and the schemas that it refers to. */
interface CallSchema {
  readonly name: string;
  readonly schema: object;
  readonly parts: readonly (readonly [name: string, schema: object])[];
}

const TEXT = { type: 'string' } as const;
const NAME = { type: 'string', minLength: 1, maxLength: MAX_NAME };
const EXTERNAL_USER = ['external_user_id', ...SYNONYMS.external_user_id];
const EXTERNAL_USER_MEMBERS = every(EXTERNAL_USER, {
  type: 'string',
  minLength: 1,
  maxLength: MAX_EXTERNAL_USER,
});
const FIELDS = every(['select_fields', 'exclude_fields'], {
  type: 'array',
  items: TEXT,
  maxItems: MAX_FIELDS,
});
const URLS = {
  type: 'array',
  items: { type: 'string', maxLength: MAX_URL },
  maxItems: MAX_ALLOWED_URLS,
};
const APPLICATION = {
  name: NAME,
  allowed_origins: URLS,
  allowed_return_urls: URLS,
  rate_limit: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_RATE_LIMIT,
    description: 'Calls a minute; 0 for the limit of the service.',
  },
};
const LOGIN = {
  client_id: { type: 'string', maxLength: MAX_CLIENT_ID },
  client_secret: { type: 'string', maxLength: MAX_CLIENT_SECRET },
};
const DIGITS = { type: 'string', pattern: '^(?:0|-?[1-9]\\d*)$' };

/** JSON Schemas of the bodies that the service takes: as strict as its checks, or less. */
export function requestSchemas(
  kinds: readonly ConnectorKind[] = allKinds(),
  trials: readonly TrialConnector[] = [],
): Readonly<Record<string, object>> {
  const calls = kinds.flatMap(executeSchemas);
  const trialOf = ({ kind }: ConnectorKind) =>
    trials.find(({ body: { connector_type: type } }) => type === kind)?.body;
  return {
    TokenRequest: body(LOGIN, Object.keys(LOGIN)),
    NewApplication: body(APPLICATION, ['name']),
    ApplicationChange: body(APPLICATION),
    ScopedTokenRequest: {
      ...body({
        ...EXTERNAL_USER_MEMBERS,
        access: { type: 'string', enum: ['read', 'write'], default: 'write' },
        connector_ids: {
          type: 'array',
          items: { type: 'string', format: 'uuid' },
          minItems: 1,
          maxItems: MAX_CONNECTOR_IDS,
        },
      }),
      ...oneRequired(EXTERNAL_USER),
    },
    ConsoleSignIn: {
      anyOf: [
        whole('With a link', { link_secret: { ...TEXT, maxLength: MAX_LINK_SECRET } }),
        whole("With the operator's key", {
          operator_key: { ...TEXT, maxLength: MAX_OPERATOR_KEY },
        }),
        whole('As an application', LOGIN),
      ],
    },
    ConsoleTokenRequest: body({
      application_id: {
        type: 'string',
        format: 'uuid',
        description: 'In a session of the operator: whose token it is to be.',
      },
    }),
    TokenRevocation: {
      ...body({ token: TEXT, jti: { type: 'string', format: 'uuid' } }),
      ...oneRequired(['token', 'jti']),
    },
    SigningKeyRotation: body({
      revoke_tokens: {
        type: 'boolean',
        default: false,
        description: 'End the tokens of the keys before, too.',
      },
    }),
    // Not `oneOf`: kinds may have settings, entities and actions of the same names.
    NewConnector: {
      anyOf: kinds.map((kind) => withTrial(newConnector(kind, ['name']), trialOf(kind))),
    },
    NewConnectorOfToken: {
      description:
        'Unless said, the name is that of the kind, and the external user that of the token.',
      anyOf: kinds.map((kind) => withTrial(newConnector(kind, []), namelessOf(trialOf(kind)))),
    },
    ConnectorChange: body({
      name: NAME,
      paused: { type: 'boolean', description: '`true` stops copying; calls and searches go on.' },
      disabled: {
        type: 'boolean',
        description: '`true` stops calls and searches, too. Not with a scoped token.',
      },
      replace_account: { type: 'boolean' },
      ...every(['credentials', 'config', 'environment', 'replication_config'], { type: 'object' }),
    }),
    ConsentRequest: body(
      {
        ...EXTERNAL_USER_MEMBERS,
        user_label: { ...NAME, description: 'What the page calls the external user.' },
        connector_type: TEXT,
        definition_id: TEXT,
        connector_id: { ...TEXT, description: 'Give this connector other credentials.' },
        redirect_url: { ...TEXT, description: "On the application's allowed_return_urls." },
        name: NAME,
        ...every(['config', 'environment', 'replication_config'], { type: 'object' }),
      },
      ['redirect_url'],
    ),
    OAuthAppRequest: body(
      {
        ...every(['connector_type', 'connector_definition_id', 'definition_id'], TEXT),
        configuration: {
          ...body(
            {
              ...every(['client_id', 'client_secret', 'subdomain'], TEXT),
              scopes: { anyOf: [TEXT, { type: 'array', items: TEXT }] },
            },
            ['client_id', 'client_secret'],
          ),
        },
      },
      ['configuration'],
    ),
    ...sessionSchemas(kinds),
    ExecuteRequest: { anyOf: [...calls.map(({ name }) => ref(name)), ref('HealthCheckRequest')] },
    HealthCheckRequest: body(
      { entity: { const: '*' }, action: { const: 'check' }, params: body({}) },
      ['entity', 'action'],
    ),
    ...Object.fromEntries(calls.map(({ name, schema }) => [name, schema])),
    ...Object.fromEntries(calls.flatMap(({ parts }) => parts)),
  };
}

/** Bodies of connect sessions, and of the page that a person sees. */
function sessionSchemas(kinds: readonly ConnectorKind[]): Readonly<Record<string, object>> {
  const described = kinds.map(describeKind);
  const label = { type: 'string', minLength: 1, maxLength: MAX_LABEL };
  const url = { type: 'string', maxLength: MAX_URL };
  const anyKind = {
    anyOf: kinds.map(({ kind, aliases }) => spelled([kind, ...aliases])),
    examples: kinds.map(({ kind }) => kind),
  };
  const config = { anyOf: described.map(({ config: list }) => settings(list, [])) };
  const branding = {
    name: { ...label, maxLength: MAX_BRAND_NAME },
    logo_url: { ...url, description: 'Its origin is on the list of the application.' },
    accent: { type: 'string', pattern: '^[0-9a-fA-F]{6}$' },
  };
  return {
    ConnectSessionRequest: {
      ...body({
        ...EXTERNAL_USER_MEMBERS,
        user_label: { ...label, description: 'What the page calls the person.' },
        connector_types: {
          type: 'array',
          items: anyKind,
          minItems: 1,
          maxItems: MAX_SESSION_KINDS,
          description: 'What the person may choose from; every kind unless said.',
        },
        connector_id: {
          type: 'string',
          format: 'uuid',
          description: 'A connector that is given other credentials, instead of a new one.',
        },
        replication_config: { type: 'object' },
        ...every(['config', 'environment'], config),
        return_url: { ...url, description: 'One of the list of the application.' },
        origin: { ...url, description: 'Of the page that opens a pop-up, likewise.' },
        confirm: { type: 'boolean', default: true },
        branding: body(branding),
      }),
      ...oneRequired(EXTERNAL_USER),
    },
    ConnectSessionConfirmation: {
      ...body({ ...EXTERNAL_USER_MEMBERS, connector_id: { type: 'string' } }),
      ...oneRequired(EXTERNAL_USER),
    },
    ConnectOpening: body({ secret: TEXT, attempt: { type: 'string', pattern: SECRET.source } }, [
      'secret',
    ]),
    ConnectEntry: body(
      {
        connector_type: anyKind,
        method: TEXT,
        credentials: {
          anyOf: described.flatMap(({ auth_methods: methods }) => methods.map(credentials)),
        },
        config,
      },
      ['connector_type', 'method', 'credentials'],
    ),
    ConnectConsent: body({ connector_type: anyKind, config }, ['connector_type']),
  };
}

/** The body of a call of each entity and action, and the schemas that those refer to. */
function executeSchemas(kind: ConnectorKind): readonly CallSchema[] {
  return describeKind(kind).entities.flatMap((entity) =>
    entity.actions.map((action) => {
      const name = schemaName(kind.kind, entity.name, action.name);
      const { $defs = {}, ...params } = withPartsNamed(action.params_schema, name);
      const { name: verb, aliases = [], hosted_only: isSearch = false } = action;
      const members = {
        entity: { const: entity.name },
        action: { enum: [verb, ...aliases] },
        params: loosened(action, params),
        ...(isSearch ? {} : FIELDS),
      };
      const needsParams = params.required.length > 0;
      const required = ['entity', 'action', ...(needsParams ? ['params'] : [])];
      return {
        name,
        schema: { description: action.doc, ...body(members, required) },
        parts: Object.entries($defs).map(
          ([part, each]) => [name + schemaName(part), each] as const,
        ),
      };
    }),
  );
}

/** A schema of params, as `describe` gives it. */
interface ParamsSchema {
  readonly properties: Members;
  readonly required: readonly string[];
  readonly $defs?: Members;
}

/** Its definitions become schemas of the document, where alone tools look for them. */
function withPartsNamed(schema: object, name: string): ParamsSchema {
  const text = JSON.stringify(schema).replace(
    /"#\/\$defs\/(\w+)/g,
    (_, part: string) => `"#/components/schemas/${name}${schemaName(part)}`,
  );
  // A schema of params, as it was.
  return JSON.parse(text) as ParamsSchema;
}

/** The service takes null for absent params, strings of digits for integers, and any `limit`. */
function loosened(
  { name: action }: ActionDescription,
  { properties, required, ...rest }: ParamsSchema,
): object {
  const isLimit = (name: string) => action === 'list' && name === 'limit';
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    orDigits(isLimit(name) ? { ...schema, maximum: undefined } : schema),
  ]);
  return { ...rest, ...body(Object.fromEntries(members) as Members, required) };
}

function orDigits(schema: object): object {
  if ('anyOf' in schema && Array.isArray(schema.anyOf)) {
    // Schemas: of a param that may be null, too.
    const some = schema.anyOf as readonly object[];
    return { ...schema, anyOf: some.map(orDigits) };
  }
  return 'type' in schema && schema.type === 'integer' ? { anyOf: [schema, DIGITS] } : schema;
}

function newConnector(kind: ConnectorKind, required: readonly string[]): object {
  const { auth_methods: methods, config, replication_config: replication } = describeKind(kind);
  const isNamed = required.includes('name');
  const needsReplication = replication.required ? ['replication_config'] : [];
  return {
    title: kind.displayName,
    ...body(
      {
        ...EXTERNAL_USER_MEMBERS,
        connector_type: {
          ...spelled([kind.kind, ...kind.aliases]),
          examples: [kind.kind, ...kind.aliases],
        },
        definition_id: {
          ...spelled([kind.definitionId]),
          description: `${kind.definitionId}, instead of connector_type.`,
        },
        name: NAME,
        credentials: { anyOf: methods.map(credentials) },
        replication_config: settings(replication.fields),
        ...every(['config', 'environment'], settings(config, [])),
        verify: {
          type: 'boolean',
          default: false,
          description: 'Try the credentials upstream before anything is stored.',
        },
      },
      [...required, 'credentials', ...needsReplication],
    ),
    allOf: [
      oneRequired(['connector_type', 'definition_id']),
      ...(isNamed ? [oneRequired(EXTERNAL_USER)] : []),
    ],
  };
}

/** Where something can be tried out, that is what its creation looks like. */
function withTrial(schema: object, trial: object | undefined): object {
  return trial === undefined ? schema : { ...schema, examples: [trial] };
}

/** What a scoped token need not say: whose it is, and how it is called. */
function namelessOf(trial: TrialConnector['body'] | undefined): object | undefined {
  if (trial === undefined) return undefined;
  const { external_user_id: _user, name: _name, ...rest } = trial;
  return rest;
}

function settings(
  list: KindDescription['config'],
  required = list.filter((each) => each.required).map(({ name }) => name),
): object {
  return body(Object.fromEntries(list.map(({ name, schema }) => [name, schema])), required);
}

/** Fields of credentials, each under its own name or its alias. */
function credentials({ label, doc, fields }: KindDescription['auth_methods'][number]): object {
  const required = fields.filter((field) => field.required);
  const aliased = required.filter(({ alias }) => alias !== undefined);
  const members = fields.flatMap(({ name, alias = name, doc: description }) => {
    const schema = {
      type: 'string',
      minLength: 1,
      maxLength: MAX_CREDENTIAL,
      description,
      writeOnly: true,
    };
    return [name, alias].map((each) => [each, schema] as const);
  });
  return {
    title: label,
    description: doc,
    ...body(
      Object.fromEntries(members),
      required.filter((field) => !aliased.includes(field)).map(({ name }) => name),
    ),
    ...(aliased.length === 0
      ? {}
      : { allOf: aliased.map(({ name, alias = name }) => oneRequired([name, alias])) }),
  };
}

/** Names in any case, with spaces, `-` and `_` alike. */
function spelled(names: readonly string[]): object {
  const patterns = names.map((name) =>
    name
      .replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
      .replaceAll(/(?<!\[)-/g, '[\\s_-]+'),
  );
  return { type: 'string', pattern: `^\\s*(?:${patterns.join('|')})\\s*$` };
}

/** An object of a request; a member that is not required may be null, which says as little. */
function body(members: Members, required: readonly string[] = []) {
  const properties = Object.entries(members).map(([name, schema]) => [
    name,
    required.includes(name) ? schema : { anyOf: [schema, { type: 'null' }] },
  ]);
  return { type: 'object', required, properties: Object.fromEntries(properties) as Members };
}

/** One form of a body, with all its members. */
function whole(title: string, members: Members): object {
  return { title, ...body(members, Object.keys(members)) };
}

/** That one of the members at least is there. */
function oneRequired(names: readonly string[]): object {
  return { anyOf: names.map((name) => ({ required: [name] })) };
}

function every(names: readonly string[], schema: object): Members {
  return Object.fromEntries(names.map((name) => [name, schema]));
}
