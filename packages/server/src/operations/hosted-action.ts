import type { ConnectorKind, Entity } from '@patchbay/connectors';
import { actionNamesOf, isSearch } from '@patchbay/connectors/definitions';
import { findEntity, unsupportedAction, type Action } from '@patchbay/connectors/engine';

/** What an entity can be asked in hosted mode: an action that goes upstream, or a search. */
export type HostedAction =
  | { readonly isSearch: false; readonly entity: Entity; readonly action: Action }
  | { readonly isSearch: true; readonly entity: Entity };

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
  if (entity.search !== undefined && isSearch(actionName)) return { isSearch: true, entity };
  const actions: Readonly<Record<string, Action | undefined>> = entity.actions;
  const action = Object.hasOwn(actions, actionName) ? actions[actionName] : undefined;
  if (action !== undefined) return { isSearch: false, entity, action };
  throw unsupportedAction(entityName, actionName, actionNamesOf(entity));
}
