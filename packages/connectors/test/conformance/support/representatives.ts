import type { ConnectorKind } from '../../../src/vocabulary/index.ts';
import {
  isList,
  isWriteOperation,
  listsOf,
  recordOperationsOf,
  requiredParamsOf,
  type Operation,
} from './operations.ts';

/** A read of each paging strategy, and a read of one record: what goes wrong for them, does for all. */
export function representativeReads(kind: ConnectorKind): readonly Operation[] {
  const byStrategy = new Map<string, Operation>();
  for (const list of listsOf(kind)) {
    const { strategy } = list.action.paging;
    if (!byStrategy.has(strategy)) byStrategy.set(strategy, list);
  }
  const gets = recordOperationsOf(kind).filter(
    (operation) => !isList(operation) && !isWriteOperation(operation),
  );
  const get = gets.find(({ action }) => requiredParamsOf(action).length > 0) ?? gets[0];
  return [...byStrategy.values(), ...(get === undefined ? [] : [get])];
}
