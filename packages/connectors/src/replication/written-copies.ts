import { isJsonObject } from '../json-value.ts';
import { valueAt } from '../execution/body-path.ts';
import type { AcceptedWrite } from '../execution/connector-engine.ts';
import { copiesOf, type ConnectorKind, type WrittenTo } from '../vocabulary/index.ts';
import type { WrittenCopy } from './contract.ts';
import { isKeyCopied, partialRecord } from './copied-record.ts';

/**
 * What an accepted write brings into which copies. A copy for which the answer has no key gets
 * nothing: the next read brings it.
 */
export function writtenCopies(kind: ConnectorKind, write: AcceptedWrite): readonly WrittenCopy[] {
  const { entity, action, params, body, raw } = write;
  if (!isJsonObject(raw)) return [];
  return copiesOf(entity, action)
    .filter((copy) => isMeant(copy, params))
    .flatMap((copy) => {
      const target = kind.entities[copy.entity];
      if (target === undefined) return [];
      const places = Object.entries(copy.params ?? {});
      const known = Object.fromEntries(places.map(([name, path]) => [name, valueAt(body, path)]));
      const record = partialRecord(target, raw, known);
      if (record === undefined || !isKeyCopied(record.key)) return [];
      return [{ entity: copy.entity, record, onlyKnown: copy.onlyKnown === true }];
    });
}

function isMeant(
  { given, notGiven }: WrittenTo,
  params: Readonly<Record<string, unknown>>,
): boolean {
  const has = (name: string) => params[name] !== undefined && params[name] !== false;
  return (given === undefined || has(given)) && (notGiven === undefined || !has(notGiven));
}
