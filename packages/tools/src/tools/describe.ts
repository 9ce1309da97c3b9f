import {
  ConnectorError,
  describedAction,
  type ActionDescription,
  type EntityDescription,
  type KindDescription,
} from '@patchbay/connectors/definitions';
import { Type } from 'typebox';
import type { JsonObject } from '../host.ts';
import { DEFAULT_PAGE_SIZE, sizeParamOf } from './list-plan.ts';
import { nestedFields } from './nested-fields.ts';
import { CONNECTOR_ARGUMENT, resolveConnector } from './resolve-connector.ts';
import { callOptionsOf, oneOf, READS, type Tool, type ToolContext } from './tool.ts';

const QUERY_LANGUAGE =
  'query: {"filter":{<operator>:{<field>:<value>}},"sort":[{<field>:"asc"|"desc"}]}. Several keys mean AND; and, or take arrays of filters, not takes one. Operators: eq, neq, in (array), gt, gte, lt, lte, like (% is any run of characters; without %, a part of the text), keyword (any of the words), fuzzy (every word, misspelt or begun), contains (array has the value), any (object in an array satisfies a filter). Dotted names reach into object fields (nested_fields tells what is there; [] stands for the elements of an array, for any); where a name has a dot in it: {"eq":[{"path":["custom_attributes","plan.tier"],"value":"gold"}]}.';

/** What a connector has, step by step: entities, then one entity, then one action. */
export const describeTool: Tool = {
  name: 'describe',
  title: 'Describe a connector',
  describe: () =>
    'Tells what a connector offers, step by step: its entities; with entity, the actions and fields of that one; with entity and action, the JSON Schema of the params and an example call.',
  annotate: () => READS,
  argumentsOf: () => ({
    connector: CONNECTOR_ARGUMENT,
    entity: { schema: Type.String(), isRequired: false, expects: 'the name of an entity' },
    action: {
      schema: Type.String({ description: 'Needs entity.' }),
      isRequired: false,
      expects: 'the name of an action',
    },
  }),
  hintsOf: ({ kinds }) => ({ entity: oneOf(entityNamesIn(kinds)) }),
  run: async (args, context) => {
    const { entity: entityName, action: actionName } = args;
    if (actionName !== undefined && entityName === undefined) throw entityMissing();
    const id = await resolveConnector(context, args);
    const options = callOptionsOf(context);
    if (entityName === undefined) {
      const kind = await context.host.describe(id, options);
      return { connector: id, ...kindOverview(kind, context) };
    }
    // The arguments have been checked: strings, where they are given.
    const entity = await context.host.describeEntity(id, entityName as string, options);
    if (actionName === undefined) return { connector: id, ...entityOverview(entity, context) };
    return { connector: id, ...actionDetails(entity, actionName as string, context) };
  },
};

/** The names of the entities of kinds, each once. */
export function entityNamesIn(
  kinds: readonly KindDescription[],
  isMeant: (entity: EntityDescription) => boolean = () => true,
): readonly string[] {
  const names = kinds.flatMap(({ entities }) => entities.filter(isMeant).map(({ name }) => name));
  return [...new Set(names)];
}

function entityMissing(): ConnectorError {
  const message = 'is required where action is given';
  return new ConnectorError(
    'invalid_request',
    { faults: [{ field: 'entity', errorCode: 'missing', message }] },
    { message: `entity ${message}` },
  );
}

type Rules = Pick<ToolContext, 'allowWrites' | 'host'>;

function kindOverview(kind: KindDescription, rules: Rules): JsonObject {
  return {
    kind: kind.kind,
    display_name: kind.display_name,
    doc: kind.doc,
    entities: kind.entities.map((entity) => ({
      entity: entity.name,
      doc: entity.doc,
      ...actionsByUse(entity, rules),
    })),
  };
}

/** The actions that there are in this mode. */
function actionsOf({ actions }: EntityDescription, { host }: Rules): readonly ActionDescription[] {
  return actions.filter((action) => action.hosted_only !== true || host.mode === 'hosted');
}

/** The actions that can be called here, and those that could if the tools were set up otherwise. */
function actionsByUse(entity: EntityDescription, rules: Rules): JsonObject {
  const actions = actionsOf(entity, rules);
  const namesOf = (isMeant: (action: ActionDescription) => boolean) =>
    actions.filter(isMeant).map(({ name }) => name);
  const forbidden = rules.allowWrites ? [] : namesOf(({ writes }) => writes);
  return {
    actions: namesOf(({ name }) => !forbidden.includes(name)),
    ...(forbidden.length === 0 ? {} : { forbidden_here: forbidden }),
  };
}

function entityOverview(entity: EntityDescription, rules: Rules): JsonObject {
  const docs = new Map(entity.record.map(({ name, doc }) => [name, doc]));
  return {
    entity: entity.name,
    doc: entity.doc,
    ...actionsByUse(entity, rules),
    action_docs: Object.fromEntries(
      actionsOf(entity, rules).map(({ name, doc, params }) => [
        name,
        {
          doc,
          params: params.map((param) => (param.required ? `${param.name} (required)` : param.name)),
        },
      ]),
    ),
    fields: Object.fromEntries(
      entity.record.map(({ name, type, doc }) => [name, `${type}: ${doc}`]),
    ),
    ...(rules.host.mode === 'hosted' && entity.searchable.length > 0
      ? {
          searchable_fields: Object.fromEntries(
            entity.searchable.map(({ name, type, doc }) => [
              name,
              docs.get(name) === doc ? type : `${type}: ${doc}`,
            ]),
          ),
          ...nestedFields(entity),
        }
      : {}),
  };
}

function actionDetails(entity: EntityDescription, actionName: string, rules: Rules): JsonObject {
  const action = describedAction(entity, actionName);
  if (action.hosted_only === true) return searchDetails(entity, action, rules);
  return {
    entity: entity.name,
    action: action.name,
    doc: action.doc,
    ...(action.writes ? { writes: true, allowed_here: rules.allowWrites } : {}),
    params_schema: action.params_schema,
    ...(action.meta === undefined
      ? {}
      : {
          meta: Object.fromEntries(
            action.meta.map(({ name, type, doc }) => [name, `${type}: ${doc}`]),
          ),
        }),
    example: {
      tool: 'execute',
      arguments: { entity: entity.name, action: action.name, params: exampleParams(action) },
    },
  };
}

function searchDetails(
  entity: EntityDescription,
  { name: actionName, doc }: ActionDescription,
  { host }: Rules,
): JsonObject {
  const text = entity.searchable.find(({ type, name }) => type === 'string' && name !== 'id');
  const time = entity.searchable.find(({ name }) => /^(updated|created)(_at)?$/.test(name));
  const query = {
    ...(text === undefined ? {} : { filter: { like: { [text.name]: 'acme%' } } }),
    ...(time === undefined ? {} : { sort: [{ [time.name]: 'desc' }] }),
  };
  return {
    entity: entity.name,
    action: actionName,
    doc,
    ...(host.mode === 'hosted' ? {} : { allowed_here: false }),
    query_language: QUERY_LANGUAGE,
    fields: Object.fromEntries(entity.searchable.map(({ name, type }) => [name, type])),
    ...nestedFields(entity),
    example: {
      tool: 'search',
      arguments: { entity: entity.name, query, limit: DEFAULT_PAGE_SIZE },
    },
  };
}

/** The required params, with something in the place of each value, and a page size. */
function exampleParams(action: ActionDescription): JsonObject {
  const sizeParam = sizeParamOf(action);
  return Object.fromEntries(
    action.params.flatMap(({ name, required, schema }) => {
      if (name === sizeParam) return [[name, DEFAULT_PAGE_SIZE]];
      return required ? [[name, exampleValue(name, schema)]] : [];
    }),
  );
}

function exampleValue(name: string, schema: object): unknown {
  if ('enum' in schema && Array.isArray(schema.enum)) return schema.enum[0] as unknown;
  switch ('type' in schema ? schema.type : undefined) {
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    default:
      return `<${name}>`;
  }
}
