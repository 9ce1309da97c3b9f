import {
  findEntity,
  unsupportedAction,
  type Action,
  type ConnectorKind,
  type Entity,
} from '@patchbay/connectors';

/** What an entity can be asked in hosted mode: an action that goes upstream, or a search. */
export type HostedAction =
  | { readonly isSearch: false; readonly entity: Entity; readonly action: Action }
  | { readonly isSearch: true; readonly entity: Entity };

/** `search`, and the name that later clients know it by. */
const SEARCH_NAMES: readonly string[] = ['search', 'context_store_search'];

/**
 * The action of an entity, searches included.
 *
 * @throws `unknown_entity`; `unsupported_action` with the actions there are.
 */
export function findHostedAction(
  kind: ConnectorKind,
  entityName: string,
  actionName: string,
): HostedAction {
  const entity = findEntity(kind, entityName);
  const isSearchable = entity.search !== undefined;
  if (isSearchable && SEARCH_NAMES.includes(actionName)) return { isSearch: true, entity };
  const actions: Readonly<Record<string, Action | undefined>> = entity.actions;
  const action = Object.hasOwn(actions, actionName) ? actions[actionName] : undefined;
  if (action !== undefined) return { isSearch: false, entity, action };
  const allowed = [...Object.keys(actions), ...(isSearchable ? ['search'] : [])];
  throw unsupportedAction(entityName, actionName, allowed);
}
