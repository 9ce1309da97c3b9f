import { searchSchemaOf } from './search/search-schema.ts';
import type {
  Action,
  AuthMethod,
  ConnectorKind,
  Entity,
  Field,
  RecordFields,
  Settings,
} from './vocabulary/index.ts';

/** A record or searchable field, in the notation of the service reference. */
export interface FieldDescription {
  readonly name: string;
  /** For example `string`, `integer?`, `obj*`, `array?`. */
  readonly type: string;
  readonly doc: string;
  /** Fields of each element, where the reference lists them. */
  readonly items?: readonly FieldDescription[];
  readonly extension?: true;
}

export interface ParamDescription {
  readonly name: string;
  readonly required: boolean;
  readonly doc: string;
  /** What a valid value is, in words. */
  readonly expects: string;
  readonly schema: object;
  readonly extension?: true;
}

export interface ActionDescription {
  readonly name: string;
  readonly doc: string;
  readonly reference: string;
  readonly writes: boolean;
  readonly params: readonly ParamDescription[];
  /** JSON Schema of the params object. */
  readonly params_schema: object;
  /** Meta fields, for lists. */
  readonly meta?: readonly FieldDescription[];
  readonly extension?: true;
}

export interface EntityDescription {
  readonly name: string;
  readonly doc: string;
  readonly reference: string;
  readonly actions: readonly ActionDescription[];
  readonly record: readonly FieldDescription[];
  readonly searchable: readonly FieldDescription[];
  readonly extension?: true;
}

export interface SettingDescription {
  readonly name: string;
  readonly required: boolean;
  readonly doc: string;
  readonly expects: string;
  readonly schema: object;
  readonly default?: unknown;
  readonly extension?: true;
}

export interface AuthMethodDescription {
  readonly name: string;
  readonly label: string;
  readonly doc: string;
  readonly fields: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly doc: string;
    readonly alias?: string;
  }[];
}

/** A connector kind, for people, forms and agents: JSON-safe, in the order of the reference. */
export interface KindDescription {
  readonly kind: string;
  readonly display_name: string;
  readonly aliases: readonly string[];
  readonly definition_id: string;
  readonly doc: string;
  readonly reference: string;
  readonly auth_methods: readonly AuthMethodDescription[];
  readonly config: readonly SettingDescription[];
  readonly replication_config: {
    readonly required: boolean;
    readonly fields: readonly SettingDescription[];
  };
  readonly entities: readonly EntityDescription[];
}

/** Describes a kind as a whole. */
export function describeKind(kind: ConnectorKind): KindDescription {
  return {
    kind: kind.kind,
    display_name: kind.displayName,
    aliases: kind.aliases,
    definition_id: kind.definitionId,
    doc: kind.doc,
    reference: kind.reference,
    auth_methods: Object.entries(kind.auth).map(([name, method]) => describeMethod(name, method)),
    config: describeSettings(kind, 'config', kind.config),
    replication_config: {
      required: kind.requiresReplicationConfig,
      fields: describeSettings(kind, 'replicationConfig', kind.replicationConfig),
    },
    entities: Object.values(kind.entities).map((entity) => describeEntity(kind, entity)),
  };
}

/** Describes one entity of a kind. */
export function describeEntity(kind: ConnectorKind, entity: Entity): EntityDescription {
  const path = `entities.${entity.name}`;
  const searchable = (searchSchemaOf(entity)?.fields ?? []).map(
    ({ name, type }): FieldDescription => ({
      name,
      // Searchable fields may all be null; the reference writes their types without "?".
      type,
      doc: (entity.search?.only?.[name] ?? entity.record[name])?.description ?? '',
      ...extension(kind, `${path}.search`),
    }),
  );
  return {
    name: entity.name,
    doc: entity.doc,
    reference: entity.reference,
    actions: Object.values(entity.actions).map((action) => describeAction(kind, path, action)),
    record: describeFields(kind, `${path}.record`, entity.record),
    searchable,
    ...extension(kind, path),
  };
}

function describeAction(kind: ConnectorKind, path: string, action: Action): ActionDescription {
  const actionPath = `${path}.actions.${action.verb}`;
  const params = Object.entries(action.params).map(
    ([name, { isRequired, doc, expects, schema }]): ParamDescription => ({
      name,
      required: isRequired,
      doc,
      expects,
      schema,
      ...extension(kind, `${actionPath}.params.${name}`),
    }),
  );
  return {
    name: action.verb,
    doc: action.doc,
    reference: action.reference,
    writes: action.verb === 'create' || action.verb === 'update',
    params,
    params_schema: paramsSchema(params),
    ...(action.verb === 'list'
      ? {
          meta: Object.entries(action.meta).map(([name, { field }]) => describeField(name, field)),
        }
      : {}),
    ...extension(kind, actionPath),
  };
}

/** The JSON Schema of the params of an action. */
function paramsSchema(params: readonly ParamDescription[]): object {
  return {
    type: 'object',
    properties: Object.fromEntries(params.map(({ name, schema }) => [name, schema])),
    required: params.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function describeFields(
  kind: ConnectorKind,
  path: string,
  fields: RecordFields,
): readonly FieldDescription[] {
  return Object.entries(fields).map(([name, field]) => ({
    ...describeField(name, field),
    ...extension(kind, `${path}.${name}`),
  }));
}

function describeField(name: string, field: Field): FieldDescription {
  const items = field['x-items'];
  return {
    name,
    type: typeInWords(field),
    doc: field.description,
    ...(items === undefined
      ? {}
      : {
          items: Object.entries(items).map(([itemName, item]) => describeField(itemName, item)),
        }),
  };
}

/** The type as the service reference writes it. */
function typeInWords(field: Field): string {
  const type = field['x-field'];
  if (type === 'obj*') return type;
  if (type === 'string | integer') return 'string | integer | null';
  const name = type === 'items' ? 'array' : type;
  return field['x-always'] ? name : `${name}?`;
}

function describeSettings(
  kind: ConnectorKind,
  path: string,
  settings: Settings,
): readonly SettingDescription[] {
  return Object.entries(settings).map(([name, setting]) => ({
    name,
    required: setting.isRequired,
    doc: setting.doc,
    expects: setting.expects,
    schema: setting.schema,
    ...(setting.default === undefined ? {} : { default: setting.default }),
    ...extension(kind, `${path}.${name}`),
  }));
}

function describeMethod(name: string, method: AuthMethod): AuthMethodDescription {
  return {
    name,
    label: method.label,
    doc: method.doc,
    fields: Object.entries(method.fields).map(([fieldName, { doc, isRequired, alias }]) => ({
      name: fieldName,
      required: isRequired,
      doc,
      ...(alias === undefined ? {} : { alias }),
    })),
  };
}

function extension(kind: ConnectorKind, path: string): { readonly extension?: true } {
  return kind.extensions.includes(path) ? { extension: true } : {};
}
