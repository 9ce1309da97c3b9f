import { ConnectorError, type ConnectorKind, type Entity } from '@patchbay/connectors';
import { actionNamesOf, isSearch } from '@patchbay/connectors/definitions';
import {
  distributionTermsOf,
  findEntity,
  unsupportedAction,
  type Action,
} from '@patchbay/connectors/engine';

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
  if (isSearch(actionName)) requireCopied(kind, entity);
  throw unsupportedAction(entityName, actionName, actionNamesOf(entity));
}

/** @throws `unsupported_action` that says why an entity has no copy which otherwise has one. */
function requireCopied(kind: ConnectorKind, entity: Entity): void {
  const applies = kind.distributions?.applies ?? '';
  if (distributionTermsOf(kind, applies)?.notCopied?.includes(entity.name) !== true) return;
  const allowed = actionNamesOf(entity);
  const message = `No ${entity.name} are copied with an app whose distribution is "${applies}", so they cannot be searched; there is ${allowed.join(', ')}.`;
  throw new ConnectorError('unsupported_action', { entity: entity.name, allowed }, { message });
}
