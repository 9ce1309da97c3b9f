import {
  ConnectorError,
  describedAction,
  describedEntity,
  isConnectorError,
  isSearch,
  type KindDescription,
} from '@patchbay/connectors/definitions';
import { Type } from 'typebox';
import type { ExecuteOutcome, JsonObject } from '../host.ts';
import {
  MAX_BYTES,
  MAX_BYTES_ARGUMENT,
  maxBytesOf,
  pageBytesOf,
  SHORT_PAGE_BYTES,
} from '../results/budget.ts';
import { fitFile } from '../results/fit-file.ts';
import { fitPage } from '../results/fit-page.ts';
import { shrinkRecord } from '../results/shrink-record.ts';
import { entityNamesIn } from './describe.ts';
import { DEFAULT_PAGE_SIZE, planList, type ListPlan } from './list-plan.ts';
import { CONNECTOR_ARGUMENT, resolveConnector } from './resolve-connector.ts';
import { runSearch } from './search.ts';
import {
  ANY_OBJECT,
  callOptionsOf,
  oneOf,
  type Scene,
  type Tool,
  type ToolContext,
} from './tool.ts';

/** Longest wait for a shorter page, which the model did not ask for. */
const SHORTER_PAGE_TIMEOUT_MS = 10_000;

const NARROW = `Repeat with select_fields, or with a max_bytes of up to ${MAX_BYTES}.`;
const WRITTEN =
  'The write is done: do not repeat it. What was left out is in the record, where that can be read.';

/** Runs one operation of a connector. */
export const executeTool: Tool = {
  name: 'execute',
  title: 'Execute an operation',
  describe: ({ mode, allowWrites }) =>
    [
      'Runs an operation of a connector: entity, action and params, as describe tells them.',
      `A list brings ${DEFAULT_PAGE_SIZE} records, or as many as fit ${SHORT_PAGE_BYTES} bytes, unless limit or max_bytes say else; for the next page repeat with params = next_params, until that is null. select_fields keeps answers short.`,
      ...(allowWrites ? writeRules(mode) : ['Reads only: create and update are refused.']),
    ].join(' '),
  annotate: ({ allowWrites }) => ({
    readOnlyHint: !allowWrites,
    destructiveHint: allowWrites,
    idempotentHint: !allowWrites,
    openWorldHint: true,
  }),
  argumentsOf: ({ mode, allowWrites }) => ({
    connector: CONNECTOR_ARGUMENT,
    entity: { schema: Type.String(), isRequired: true, expects: 'the name of an entity' },
    action: { schema: Type.String(), isRequired: true, expects: 'the name of an action' },
    params: {
      schema: ANY_OBJECT,
      isRequired: false,
      expects: 'an object',
    },
    select_fields: {
      schema: Type.Array(Type.String(), {
        description: 'Only these fields of each record; dotted names reach inside.',
      }),
      isRequired: false,
      expects: 'an array of field names',
    },
    ...(allowWrites && mode === 'hosted' ? { idempotency_key: IDEMPOTENCY_KEY } : {}),
    max_bytes: MAX_BYTES_ARGUMENT,
  }),
  hintsOf: (scene) => ({
    entity: oneOf(entityNamesIn(scene.kinds)),
    action: oneOf(actionNamesIn(scene)),
    params: { description: 'Params of the action, by name.' },
  }),
  run: async (args, context) => {
    const id = await resolveConnector(context, args);
    const kind = await context.host.describe(id, callOptionsOf(context));
    // The arguments have been checked: two required strings, an object, an array of strings.
    const call: Call = {
      id,
      kind,
      entity: args['entity'] as string,
      action: args['action'] as string,
      params: (args['params'] ?? {}) as JsonObject,
      selectFields: args['select_fields'] as readonly string[] | undefined,
      idempotencyKey: args['idempotency_key'] as string | undefined,
      max_bytes: args['max_bytes'] as number | undefined,
    };
    const { entity, params, max_bytes } = call;
    if (isSearchCall(call)) {
      const { selectFields: fields } = call;
      const searched = fields === undefined ? params : { fields, ...params };
      return runSearch(context, { id, entity, params: searched, max_bytes });
    }
    if (!context.allowWrites) refuseWrites(kind, call);
    return call.action === 'list' ? runList(context, call) : runOther(context, call);
  },
};

const IDEMPOTENCY_KEY = {
  schema: Type.String({
    description: 'For writes: repeating a write with the same key does it once.',
    // What a header takes as it is, since that is how it may have to travel: at its ends it loses spaces.
    pattern: '^[!-~]([ -~]{0,253}[!-~])?$',
  }),
  isRequired: false,
  expects: 'a string of 1 to 255 printable ASCII characters, without spaces at its ends',
} as const;

interface Call {
  readonly id: string;
  readonly kind: KindDescription;
  readonly entity: string;
  readonly action: string;
  readonly params: JsonObject;
  readonly selectFields: readonly string[] | undefined;
  readonly idempotencyKey: string | undefined;
  /** As it was given. */
  readonly max_bytes: number | undefined;
}

function writeRules(mode: Scene['mode']): readonly string[] {
  return [
    'create and update change the real system: be sure that the user wants it.',
    mode === 'hosted'
      ? 'Give every write a new idempotency_key. Never repeat a write whose outcome is unknown, but with the same key.'
      : 'Never repeat a write whose outcome is unknown: read first whether it happened.',
  ];
}

function actionNamesIn({ kinds, allowWrites }: Scene): readonly string[] {
  const actions = kinds
    .flatMap(({ entities }) => entities.flatMap((entity) => entity.actions))
    // Searches have a tool of their own.
    .filter(({ writes, hosted_only }) => (allowWrites || !writes) && hosted_only !== true);
  return [...new Set(actions.map(({ name }) => name))];
}

/** Whether the call is a search; searches have a tool of their own, which does the same. */
function isSearchCall({ kind, entity: entityName, action }: Call): boolean {
  const { searchable = [] } = kind.entities.find(({ name }) => name === entityName) ?? {};
  return isSearch(action) && searchable.length > 0;
}

/**
 * Lets through only what is known to write nothing; a host may know more actions than its
 * description tells.
 *
 * @throws `forbidden`; `unknown_entity`, `unsupported_action`.
 */
function refuseWrites(
  kind: KindDescription,
  { entity: entityName, action: actionName }: Call,
): void {
  const action = describedAction(describedEntity(kind, entityName), actionName);
  if (!action.writes) return;
  throw new ConnectorError(
    'forbidden',
    { entity: entityName, action: actionName },
    {
      message: `These tools only read, so ${entityName}.${actionName} was refused. Whoever set them up can allow writes: patchbay mcp --allow-writes, allowWrites in code, or a token with access "write".`,
    },
  );
}

/** A page, and the params that brought it. */
type ListPage = Extract<ExecuteOutcome, { readonly type: 'page' }> & {
  readonly params: JsonObject;
};

async function runList(context: ToolContext, call: Call): Promise<JsonObject> {
  const plan = planList(call.kind, call.entity, call.params);
  const page = await fetchPage(context, call, plan);
  return fitPage<ListPage, JsonObject>({
    page,
    maxBytes: pageBytesOf(call, plan.isSizeGiven),
    itemsOf: ({ records }) => records,
    render: ({ params, meta, nextParams, warnings }, shown, notice) => ({
      data: shown,
      meta,
      // Whole, so that a model copies them and need not merge anything.
      next_params: notice?.isCut === true ? undefined : nextParams && { ...params, ...nextParams },
      truncated: notice?.truncated,
      ...(warnings.length === 0 ? {} : { warnings }),
    }),
    shrink: (record, room) => {
      const { record: item, leftOut } = shrinkRecord(record, room);
      return { item, leftOut };
    },
    fetchSmaller: (size) => fetchShorter(context, call, { ...plan, size }),
    goOn: 'Go on with params = next_params. With select_fields more records fit; params.limit or max_bytes bring a longer answer.',
    repeat: (count, takesNoSize) => repetitionOf(takesNoSize === true ? undefined : plan, count),
    narrow: NARROW,
  });
}

/** @param plan `undefined` where the upstream pays no heed to the size of a page. */
function repetitionOf(plan: ListPlan | undefined, count: number): string {
  const shorter = plan?.shorter(Math.max(1, count));
  const how =
    shorter === undefined
      ? NARROW
      : `Repeat with params ${JSON.stringify(shorter)}, or with select_fields.`;
  return `Cursors in meta lead past what was left out. ${how}`;
}

async function fetchPage(
  context: ToolContext,
  { id, entity, action, selectFields }: Call,
  { params }: ListPlan,
): Promise<ListPage> {
  const call = { entity, action, params, selectFields };
  return pageOf(await context.host.execute(id, call, callOptionsOf(context)), params);
}

/** The same page with fewer records; `undefined` where it cannot be had, or not soon. */
async function fetchShorter(
  context: ToolContext,
  { id, entity, action, selectFields }: Call,
  plan: ListPlan & { readonly size: number },
): Promise<ListPage | undefined> {
  const params = plan.shorter(plan.size);
  if (params === undefined) return undefined;
  const call = { entity, action, params, selectFields };
  const options = { ...callOptionsOf(context), timeoutMs: SHORTER_PAGE_TIMEOUT_MS };
  try {
    return pageOf(await context.host.execute(id, call, options), params);
  } catch (error) {
    // There is a page already, and its notice says what to do.
    if (isConnectorError(error)) return undefined;
    throw error;
  }
}

function pageOf(outcome: ExecuteOutcome, params: JsonObject): ListPage {
  if (outcome.type === 'page') return { ...outcome, params };
  throw new Error('a list brought no page');
}

async function runOther(context: ToolContext, call: Call): Promise<JsonObject> {
  const { id, entity, action, params, selectFields, idempotencyKey } = call;
  const maxBytes = maxBytesOf(call);
  const outcome = await context.host.execute(
    id,
    { entity, action, params, selectFields, idempotencyKey },
    callOptionsOf(context),
  );
  switch (outcome.type) {
    case 'file':
      return fitFile(outcome.file, { kind: call.kind.kind, entity, params, maxBytes });
    case 'record':
      return fitRecord(outcome, { maxBytes, narrow: isRead(call) ? NARROW : WRITTEN });
    case 'page':
      throw new Error(`${action} brought a page`);
  }
}

/** Whether it is known to write nothing: what does must not be repeated for the sake of its answer. */
function isRead({ kind, entity: entityName, action }: Call): boolean {
  const { actions = [] } = kind.entities.find(({ name }) => name === entityName) ?? {};
  return actions.some(({ name, writes }) => name === action && !writes);
}

function fitRecord(
  { record, warnings = [] }: Extract<ExecuteOutcome, { readonly type: 'record' }>,
  { maxBytes, narrow }: { readonly maxBytes: number; readonly narrow: string },
): Promise<JsonObject> {
  return fitPage<JsonObject, JsonObject>({
    page: record,
    maxBytes,
    itemsOf: (each) => [each],
    render: (_, [data], notice) => ({
      data,
      truncated: notice?.truncated,
      ...(warnings.length === 0 ? {} : { warnings }),
    }),
    shrink: (each, room) => {
      const { record: item, leftOut } = shrinkRecord(each, room);
      return { item, leftOut };
    },
    fetchSmaller: () => Promise.resolve(undefined),
    goOn: '',
    repeat: () => '',
    narrow,
  });
}
