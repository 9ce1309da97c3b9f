import { ConnectorError, isJsonObject, type Fault } from '@patchbay/connectors/definitions';

/**
 * Refuses a filter with a condition whose operand is `undefined`: as JSON it would not be there, and the search would
 * find what it was to leave out. An operator that is `undefined` is one that is not given.
 *
 * @throws `invalid_query` with every such condition.
 */
export function requireOperands(params: unknown): void {
  const query = isJsonObject(params) ? params['query'] : undefined;
  if (!isJsonObject(query)) return;
  const faults = [...undefinedIn(query['filter'], 'params.query.filter')];
  if (faults.length === 0) return;
  const [{ field, message }] = faults as [Fault];
  throw new ConnectorError('invalid_query', { faults }, { message: `${field} ${message}` });
}

function* undefinedIn(filter: unknown, at: string): Generator<Fault> {
  if (!isJsonObject(filter)) return;
  for (const [operator, given] of Object.entries(filter)) {
    const place = `${at}.${operator}`;
    if (operator === 'not') yield* undefinedIn(given, place);
    else if (Array.isArray(given)) yield* undefinedInList(given, place);
    else if (isJsonObject(given)) yield* undefinedConditions(given, place, operator);
  }
}

/** Of filters, or of conditions as paths and values. */
function* undefinedInList(list: readonly unknown[], at: string): Generator<Fault> {
  for (const [index, each] of list.entries()) {
    const place = `${at}.${index}`;
    if (each === undefined) yield undefinedAt(place);
    else if (isJsonObject(each) && 'path' in each && 'value' in each)
      yield* undefinedOperand(each['value'], `${place}.value`);
    else yield* undefinedIn(each, place);
  }
}

function* undefinedConditions(
  conditions: Readonly<Record<string, unknown>>,
  at: string,
  operator: string,
): Generator<Fault> {
  for (const [field, operand] of Object.entries(conditions)) {
    const place = `${at}.${field}`;
    yield* undefinedOperand(operand, place);
    if (operator === 'any') yield* undefinedIn(operand, place);
  }
}

function* undefinedOperand(operand: unknown, at: string): Generator<Fault> {
  if (operand === undefined) yield undefinedAt(at);
  if (!Array.isArray(operand)) return;
  for (const [index, each] of operand.entries())
    if (each === undefined) yield undefinedAt(`${at}.${index}`);
}

function undefinedAt(field: string): Fault {
  const message = 'is undefined; give a value, or leave the condition out';
  return { field, errorCode: 'missing', message };
}
