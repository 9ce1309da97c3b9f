import type { Account } from '../account.ts';
import type { Entity, Identity } from '../vocabulary/index.ts';
import { valueAt } from './body-path.ts';

/** What facts are looked up in: the answers to reads by their names, `config` and `upstream`. */
export type Facts = Readonly<Record<string, unknown>>;

/** What stands for an entity where a request is of the connector as a whole. */
export const NO_ENTITY: Entity = {
  name: '*',
  doc: '',
  reference: '',
  key: [],
  record: {},
  actions: {},
  search: undefined,
};

/** Whose credentials are, by what was answered; `undefined` where that does not say it all. */
export function accountIn({ accounts, principal }: Identity, facts: Facts): Account | undefined {
  const person = textAt(facts, principal);
  const found = accounts.find(
    ({ when, id }) =>
      (when === undefined || valueAt(facts, when) === true) && textAt(facts, id) !== undefined,
  );
  const id = found && textAt(facts, found.id);
  if (id === undefined || person === undefined) return undefined;
  const name = found?.name === undefined ? undefined : textAt(facts, found.name);
  return { id, name: name ?? null, principal: person };
}

/** Longer ones are cut off: they are shown and stored, never sent. */
const MAX_TEXT = 255;

/** Ids come as texts or numbers. Zendesk answers strangers with a user whose id is null. */
function textAt(facts: Facts, path: string): string | undefined {
  const value = valueAt(facts, path);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.toWellFormed().replaceAll('\0', '').slice(0, MAX_TEXT).toWellFormed();
}
