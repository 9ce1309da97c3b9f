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

/**
 * Whose credentials are, by what was answered; `undefined` where that does not say it all.
 *
 * @param isSecret Whether a text holds the credentials, which an upstream may say back. Such a text says nothing.
 */
export function accountIn(
  { accounts, principal }: Identity,
  facts: Facts,
  isSecret: (text: string) => boolean,
): Account | undefined {
  const told = (path: string) => textAt(facts, path, isSecret);
  const person = told(principal);
  const found = accounts.find(
    ({ when, id }) =>
      (when === undefined || valueAt(facts, when) === true) && told(id) !== undefined,
  );
  const id = found && told(found.id);
  if (id === undefined || person === undefined) return undefined;
  const name = found?.name === undefined ? undefined : told(found.name);
  return { id, name: name ?? null, principal: person };
}

/** Longer ones are cut off: they are shown and stored, never sent. */
const MAX_TEXT = 255;

/** Ids come as texts or numbers. Zendesk answers strangers with a user whose id is null. */
function textAt(
  facts: Facts,
  path: string,
  isSecret: (text: string) => boolean,
): string | undefined {
  const value = valueAt(facts, path);
  const given = typeof value === 'number' ? String(value) : value;
  if (typeof given !== 'string' || given.trim() === '') return undefined;
  const text = given.toWellFormed().replaceAll('\0', '');
  return isSecret(text) ? undefined : text.slice(0, MAX_TEXT).toWellFormed();
}
