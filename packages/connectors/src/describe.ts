import { SEARCH_PARAMS } from './search/search-params.ts';
import { searchParamsSchema } from './search/search-params-schema.ts';
import { searchSchemaOf, type SearchSchema } from './search/search-schema.ts';
import { unknownEntity, unsupportedAction } from './unknown-name.ts';
import { ELEMENTS, pathInWords } from './written-path.ts';
import {
  isWrite,
  memberPathsOf,
  SEARCH,
  SEARCH_ALIASES,
  type Action,
  type AuthMethod,
  type ConnectorKind,
  type Distributions,
  type Entity,
  type Field,
  type Param,
  type RecordFields,
  type Settings,
} from './vocabulary/index.ts';
import type {
  ActionDescription,
  AuthMethodDescription,
  DistributionsDescription,
  EntityDescription,
  FieldDescription,
  KindDescription,
  MemberDescription,
  ParamDescription,
  SettingDescription,
} from './wire/kind-description.ts';

/** Describes a kind as a whole. */
export function describeKind(kind: ConnectorKind): KindDescription {
  return {
    kind: kind.kind,
    display_name: kind.displayName,
    aliases: kind.aliases,
    definition_id: kind.definitionId,
    doc: kind.doc,
    reference: kind.reference,
    auth_methods: Object.entries(kind.auth).map(([name, method]) =>
      describeMethod(kind, name, method),
    ),
    config: describeSettings(kind, 'config', kind.config),
    replication_config: {
      required: kind.requiresReplicationConfig,
      fields: describeSettings(kind, 'replicationConfig', kind.replicationConfig),
    },
    ...(kind.distributions === undefined
      ? {}
      : { distributions: describeDistributions(kind.distributions) }),
    entities: Object.values(kind.entities).map((entity) => describeEntity(kind, entity)),
  };
}

/** Describes one entity of a kind. */
export function describeEntity(kind: ConnectorKind, entity: Entity): EntityDescription {
  const path = `entities.${entity.name}`;
  const schema = searchSchemaOf(entity);
  const searchable = (schema?.fields ?? []).map(({ name, type }): FieldDescription => {
    const field = entity.search?.only?.[name] ?? entity.record[name];
    return {
      name,
      // Searchable fields may all be null; the reference writes their types without "?".
      type,
      doc: field?.description ?? '',
      ...membersOf(name, field),
      ...extension(kind, `${path}.search`),
    };
  });
  return {
    name: entity.name,
    doc: entity.doc,
    reference: entity.reference,
    actions: [
      ...Object.values(entity.actions).map((action) => describeAction(kind, path, action)),
      ...(schema === undefined
        ? []
        : [{ ...describeSearch(entity, schema), ...extension(kind, `${path}.search`) }]),
    ],
    record: describeFields(kind, `${path}.record`, entity.record),
    searchable,
    ...extension(kind, path),
  };
}

/**
 * The entity of a described kind.
 *
 * @throws `unknown_entity` with the entities there are and the nearest name.
 */
export function describedEntity(
  { kind, entities }: Pick<KindDescription, 'kind' | 'entities'>,
  entityName: string,
): EntityDescription {
  const entity = entities.find(({ name }) => name === entityName);
  if (entity !== undefined) return entity;
  throw unknownEntity(kind, entityName, namesOf(entities));
}

/**
 * The action of a described entity, by its name or an alias.
 *
 * @throws `unsupported_action` with the actions there are and the nearest name.
 */
export function describedAction(
  { name: entityName, actions }: EntityDescription,
  actionName: string,
): ActionDescription {
  const action = actions.find(
    ({ name, aliases }) => name === actionName || aliases?.includes(actionName) === true,
  );
  if (action !== undefined) return action;
  throw unsupportedAction(entityName, actionName, namesOf(actions));
}

function namesOf(things: readonly { readonly name: string }[]): readonly string[] {
  return things.map(({ name }) => name);
}

function describeSearch({ reference }: Entity, schema: SearchSchema): ActionDescription {
  return {
    name: SEARCH,
    aliases: SEARCH_ALIASES,
    doc: 'Finds records in the copy that the service keeps, by any searchable field; the answer says how fresh it is.',
    reference,
    writes: false,
    hosted_only: true,
    params: Object.entries(SEARCH_PARAMS).map(([name, param]) => ({
      ...describeParam(name, param),
      ...('isExtension' in param ? EXTENSION : {}),
    })),
    params_schema: searchParamsSchema(schema),
  };
}

function describeAction(kind: ConnectorKind, path: string, action: Action): ActionDescription {
  const actionPath = `${path}.actions.${action.verb}`;
  const params = Object.entries(action.params).map(([name, param]) => ({
    ...describeParam(name, param),
    ...(param.role === 'limit' ? EXTENSION : extension(kind, `${actionPath}.params.${name}`)),
  }));
  return {
    name: action.verb,
    doc: action.doc,
    reference: action.reference,
    writes: isWrite(action),
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

function describeParam(
  name: string,
  { isRequired, doc, expects, schema }: Pick<Param, 'isRequired' | 'doc' | 'expects' | 'schema'>,
): ParamDescription {
  return { name, required: isRequired, doc, expects, schema };
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

/** @param above The path that leads to the field, from a field of the record on. */
function describeField(
  name: string,
  field: Field,
  above: readonly string[] = [],
): FieldDescription {
  const items = field['x-items'];
  return {
    name,
    type: typeInWords(field),
    doc: field.description,
    ...(items === undefined
      ? {}
      : {
          items: Object.entries(items).map(([itemName, item]) =>
            describeField(itemName, item, [name, ELEMENTS]),
          ),
        }),
    ...membersOf(name, field, above),
  };
}

function membersOf(
  name: string,
  field: Field | undefined,
  above: readonly string[] = [],
): { readonly members?: readonly MemberDescription[] } {
  const members = field?.['x-members'];
  if (members === undefined) return {};
  const isArray = field?.['x-field'] === 'array';
  return {
    members: memberPathsOf(name, members, { isArray }).map(({ segments, type }) => ({
      path: pathInWords([...above, ...segments]),
      type,
    })),
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

function describeDistributions({
  doc,
  reference,
  applies,
  each,
}: Distributions): DistributionsDescription {
  return {
    doc,
    reference,
    applies,
    each: Object.entries(each).map(([name, terms]) => ({
      name,
      doc: terms.doc,
      lists: Object.entries(terms.lists ?? {}).map(([entity, { rate, largestPage }]) => ({
        entity,
        calls_per_minute: rate.perMinute,
        largest_page: largestPage,
      })),
      not_copied: terms.notCopied ?? [],
    })),
  };
}

function describeMethod(
  kind: ConnectorKind,
  name: string,
  method: AuthMethod,
): AuthMethodDescription {
  const path = `auth.${name}`;
  return {
    name,
    label: method.label,
    doc: method.doc,
    fields: Object.entries(method.fields).map(([fieldName, { doc, isRequired, alias }]) => ({
      name: fieldName,
      required: isRequired,
      doc,
      ...(alias === undefined ? {} : { alias }),
      ...extension(kind, `${path}.fields.${fieldName}`),
    })),
    grants: method.grants ?? [],
    revoked: method.revoked ?? 'none',
    ...(method.revoked === undefined || kind.oauth?.revocation === undefined
      ? {}
      : { revocation: docOf(kind.oauth.revocation) }),
    ...(method.ending === undefined ? {} : { ending: method.ending }),
    ...extension(kind, path),
  };
}

function docOf({ doc, reference }: { readonly doc: string; readonly reference: string }) {
  return { doc, reference };
}

/** What the service reference does not list; what is within an extension has no mark of its own. */
const EXTENSION = { extension: true } as const;

function extension(kind: ConnectorKind, path: string): { readonly extension?: true } {
  return kind.extensions.includes(path) ? EXTENSION : {};
}
