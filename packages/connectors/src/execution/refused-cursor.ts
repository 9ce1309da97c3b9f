import { ConnectorError, isConnectorError } from '../errors.ts';
import type { Action } from '../vocabulary/index.ts';
import type { Operation } from './judge.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * What a call failed with: `invalid_cursor` where the upstream refused it in words that mean the cursor if there is one.
 */
export function asRefusedCursor(
  error: unknown,
  { operation, params }: { readonly operation: Operation; readonly params: Values },
): unknown {
  const { kind, entity, action } = operation;
  const { cursorCodes = [] } = kind.errors;
  if (!isConnectorError(error, 'upstream_rejected') || !givesCursor(action, params)) return error;
  const { upstreamCode } = error.details;
  if (upstreamCode === undefined || !cursorCodes.includes(upstreamCode)) return error;
  return new ConnectorError(
    'invalid_cursor',
    { ...error.details, entity: entity.name, action: action.verb },
    { message: `${kind.displayName} answered "${upstreamCode}".`, cause: error },
  );
}

function givesCursor(action: Action, params: Values): boolean {
  if (action.verb !== 'list' || action.paging.strategy !== 'cursor') return false;
  const cursor = params[action.paging.param];
  return cursor !== undefined && cursor !== action.paging.walk?.start;
}
