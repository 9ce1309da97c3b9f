import {
  ConnectorError,
  describedEntity,
  isConnectorError,
  nearestName,
  quote,
  type Fault,
  type KindDescription,
} from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';
import { resolveConnector } from './resolve-connector.ts';
import { callOptionsOf, type ToolContext, type ToolName } from './tool.ts';

/**
 * The faults of a call, where its entity or action is missing with the names there are, as far as the rest of the call
 * says where to look.
 *
 * @param args What the model gave.
 */
export async function withNamesThereAre(
  faults: readonly Fault[],
  { tool, args }: { readonly tool: ToolName; readonly args: JsonObject },
  context: ToolContext,
): Promise<readonly Fault[]> {
  if (!faults.some(isOfName)) return faults;
  try {
    const id = await resolveConnector(context, args);
    const kind = await context.host.describe(id, callOptionsOf(context));
    return faults.map((fault) => {
      const names = isOfName(fault) ? namesFor(fault.field, kind, { tool, args, context }) : [];
      if (names.length === 0) return fault;
      const allowed = names.join(', ');
      return { ...fault, message: `is required: one of ${allowed}`, allowed };
    });
  } catch (error) {
    // What is wrong with the rest is for the next call to hear.
    if (isConnectorError(error)) return faults;
    throw error;
  }
}

/**
 * The error of a search of what cannot be searched, with what can be: the actions of the entity, or entities without a
 * copy, would be of no help.
 *
 * @param args What the model gave.
 */
export async function withSearchable(
  error: ConnectorError<'unknown_entity' | 'unsupported_action'>,
  args: JsonObject,
  context: ToolContext,
): Promise<ConnectorError> {
  const id = await resolveConnector(context, args);
  const { entities } = await context.host.describe(id, callOptionsOf(context));
  const allowed = entities
    .filter(({ searchable }) => searchable.length > 0)
    .map(({ name }) => name);
  if (context.host.mode !== 'hosted' || allowed.length === 0) return error;
  const { didYouMean: _, ...details } = error.details;
  const didYouMean = nearestName(args['entity'], allowed);
  return new ConnectorError(
    error.code,
    { ...details, allowed, ...(didYouMean === undefined ? {} : { didYouMean }) },
    {
      message: `${quote(args['entity'])} cannot be searched; these can: ${allowed.join(', ')}.`,
      retry: error.retry,
    },
  );
}

function isOfName({ field, errorCode }: Fault): boolean {
  return errorCode === 'missing' && (field === 'entity' || field === 'action');
}

function namesFor(
  field: string,
  kind: KindDescription,
  {
    tool,
    args,
    context: { allowWrites },
  }: { readonly tool: ToolName; readonly args: JsonObject; readonly context: ToolContext },
): readonly string[] {
  if (field === 'entity')
    return kind.entities
      .filter(({ searchable }) => tool !== 'search' || searchable.length > 0)
      .map(({ name }) => name);
  if (typeof args['entity'] !== 'string') return [];
  return (
    describedEntity(kind, args['entity'])
      // Searches have a tool of their own.
      .actions.filter(({ writes, hosted_only }) => (allowWrites || !writes) && hosted_only !== true)
      .map(({ name }) => name)
  );
}
