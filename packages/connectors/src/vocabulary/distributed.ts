import { isWrite, type Actions, type ListAction } from './action.ts';
import type { Distribution, ListTerms } from './distribution.ts';
import type { Entity } from './entity.ts';
import type { ConnectorKind, Entities } from './kind.ts';
import { withLargestPage } from './param.ts';

/**
 * The definition as it is for an app of that distribution: a definition like any other, so that engines
 * know nothing of distributions.
 *
 * @throws Error for a distribution that the kind does not have.
 */
export function distributed(kind: ConnectorKind, name: string): ConnectorKind {
  const { distributions } = kind;
  const terms = distributionTermsOf(kind, name);
  if (distributions === undefined || terms === undefined)
    throw new Error(`${kind.kind} has no distribution "${name}"`);
  if (name === distributions.applies) return kind;
  const { lists = {}, notCopied = [] } = terms;
  const entities: Entities = Object.fromEntries(
    Object.entries(kind.entities).map(([entityName, entity]) => {
      const granted = withoutWrittenCopies(withTerms(entity, lists[entityName]), notCopied);
      return [entityName, notCopied.includes(entityName) ? withoutCopy(granted) : granted];
    }),
  );
  const lost = notCopied.map((entityName) => `entities.${entityName}.search`);
  return {
    ...kind,
    entities,
    extensions: kind.extensions.filter((path) => !lost.includes(path)),
    distributions: { ...distributions, applies: name },
  };
}

/** The names of the distributions of a kind; none where its upstream treats all apps alike. */
export function distributionNamesOf({ distributions }: ConnectorKind): readonly string[] {
  return Object.keys(distributions?.each ?? {});
}

/** What the upstream of a kind grants apps of a distribution; `undefined` where it has none of that name. */
export function distributionTermsOf(
  { distributions }: Pick<ConnectorKind, 'distributions'>,
  name: string,
): Distribution | undefined {
  return new Map(Object.entries(distributions?.each ?? {})).get(name);
}

function withTerms(entity: Entity, terms: ListTerms | undefined): Entity {
  const { list } = entity.actions;
  if (terms === undefined || list?.verb !== 'list') return entity;
  const granted: ListAction = {
    ...list,
    params: withLargestPage(list.params, terms.largestPage),
    policies: { ...list.policies, rates: [terms.rate] },
  };
  return { ...entity, actions: { ...entity.actions, list: granted } };
}

function withoutCopy({ replicate: _replicate, ...entity }: Entity): Entity {
  return { ...entity, search: undefined };
}

/** A write brings nothing into a copy that is not kept. */
function withoutWrittenCopies(entity: Entity, notCopied: readonly string[]): Entity {
  const actions = Object.entries(entity.actions).map(([verb, action]) => [
    verb,
    isWrite(action) && action.copies !== undefined
      ? { ...action, copies: action.copies.filter((copy) => !notCopied.includes(copy.entity)) }
      : action,
  ]);
  return { ...entity, actions: Object.fromEntries(actions) as Actions };
}
