import type { UntypedPage } from '@patchbay/client';
import { findAction, findEntity, allKinds, nextPageParams } from '@patchbay/connectors/definitions';
import { shellWord } from './shell-word.ts';

/** The list that a page is from. */
interface PageOrigin {
  readonly entity: string;
  /** The canonical name. */
  readonly kind: string;
  /** The params of the call. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** How the list goes on, as flags; `undefined` at its end. */
export function nextPageHint(
  { data, meta }: UntypedPage,
  { entity, kind: kindName, params }: PageOrigin,
): string | undefined {
  const kind = allKinds().find((each) => each.kind === kindName);
  // The kind is of a later service: only that knows how its lists go on.
  if (kind === undefined) return undefined;
  const list = findAction(kind, entity, 'list');
  if (list.verb !== 'list') return undefined;
  const { key } = findEntity(kind, entity);
  const keyField = key.length === 1 ? key[0] : undefined;
  const next = nextPageParams(list, { params, records: data, meta }, keyField) ?? {};
  const changed = Object.entries(next).filter(([name, value]) => params[name] !== value);
  if (changed.length === 0) return undefined;
  const flags = changed.map(([name, value]) => `--param ${shellWord(`${name}=${String(value)}`)}`);
  return `Next page: ${flags.join(' ')}, or --all.`;
}
