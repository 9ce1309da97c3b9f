import { checkMembers, isJsonObject, quote } from '../check-members.ts';
import { ConnectorError, faultsText, type Fault } from '../errors.ts';
import { unknownEntity, unsupportedAction } from '../unknown-name.ts';
import type { Action, ConnectorKind, Entity } from '../vocabulary/index.ts';

/**
 * The entity of a kind.
 *
 * @throws `unknown_entity` with the entities there are and the nearest name.
 */
export function findEntity(kind: ConnectorKind, entityName: string): Entity {
  const entity = Object.hasOwn(kind.entities, entityName) ? kind.entities[entityName] : undefined;
  if (entity !== undefined) return entity;
  throw unknownEntity(kind.kind, entityName, Object.keys(kind.entities));
}

/**
 * The action of an entity.
 *
 * @throws `unknown_entity`; `unsupported_action` with the actions there are.
 */
export function findAction(kind: ConnectorKind, entityName: string, actionName: string): Action {
  const { actions } = findEntity(kind, entityName);
  const declared: Readonly<Record<string, Action | undefined>> = actions;
  const action = Object.hasOwn(declared, actionName) ? declared[actionName] : undefined;
  if (action !== undefined) return action;
  throw unsupportedAction(entityName, actionName, Object.keys(actions));
}

/**
 * Checks the params of an action, strictly and before anything is sent. Absent params are `{}`,
 * null optional ones absent.
 *
 * @throws `invalid_params` with every fault, each at `params.<name>`.
 */
export function checkParams(
  entityName: string,
  action: Action,
  given: unknown,
): Readonly<Record<string, unknown>> {
  const input = given ?? {};
  if (!isJsonObject(input))
    throw invalidParams(entityName, action, [
      {
        field: 'params',
        errorCode: 'wrong_type',
        message: `must be an object, got ${quote(given)}`,
      },
    ]);
  const { values, faults } = checkMembers(action.params, input, 'params');
  const pathFaults = Object.keys(values).flatMap((name) => pathFault(action, name, values[name]));
  if (faults.length + pathFaults.length > 0)
    throw invalidParams(entityName, action, [...faults, ...pathFaults]);
  return values;
}

/** A path segment that is empty or made of dots would address something else. */
function pathFault(action: Action, name: string, value: unknown): readonly Fault[] {
  if (!action.request.includes(`{${name}}`) || !/^\.{0,2}$/.test(String(value))) return [];
  const message = `must name something, got ${quote(value)}`;
  return [{ field: `params.${name}`, errorCode: 'not_allowed', message }];
}

function invalidParams(
  entityName: string,
  action: Action,
  faults: readonly Fault[],
): ConnectorError<'invalid_params'> {
  return new ConnectorError(
    'invalid_params',
    { entity: entityName, action: action.verb, faults },
    { message: `The params of ${entityName}.${action.verb} are wrong: ${faultsText(faults)}` },
  );
}
