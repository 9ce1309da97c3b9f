import { checkMembers, withoutDigits } from '../check-members.ts';
import { isJsonObject, quote } from '../json-value.ts';
import { ConnectorError, faultsText, invalidRequest, type Fault } from '../errors.ts';
import { compileSelection, type Selection } from '../field-selection.ts';
import { unknownEntity, unsupportedAction } from '../unknown-name.ts';
import {
  pageSizeOf,
  UNITS_PER_SECOND,
  type Action,
  type ConnectorKind,
  type Entity,
  type Param,
  type Params,
  type TimeUnit,
} from '../vocabulary/index.ts';
import type { Warning } from '../warning.ts';
import { LIMIT, underOwnName, withinLargestPage } from './page-limit.ts';

type Values = Readonly<Record<string, unknown>>;

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

/** What a call asks of an entity, as it came. */
export interface AskedCall {
  readonly params?: unknown;
  /** Names of record fields, top-level or dotted; these win over `excludeFields`. */
  readonly selectFields?: readonly unknown[] | undefined;
  readonly excludeFields?: readonly unknown[] | undefined;
}

/** The params of a call as its request takes them, and what goes with them. */
export interface CheckedCall {
  readonly params: Values;
  /** What its caller should know of the params. */
  readonly warnings: readonly Warning[];
  /** Cuts its records down to what was asked for. */
  readonly select: Selection | undefined;
}

/**
 * Checks the params of an action and the fields that are asked for, strictly and before anything is
 * sent. Absent params are `{}`, null optional ones absent. An integer may come as its digits, and the
 * page size of any list as `limit`, which is brought within its bounds.
 *
 * @throws `invalid_params` with every fault, those of params at `params.<name>`; `invalid_request`
 * where only the fields are wrong.
 */
export function checkCall(entity: Entity, action: Action, asked: AskedCall): CheckedCall {
  const { params, warnings, faults } = judgeParams(action, asked.params);
  const { select, faults: further } = compileSelection(entity, asked);
  if (faults.length > 0) throw invalidParams(entity.name, action, [...faults, ...further]);
  if (further.length > 0) throw invalidRequest(further);
  return { params, warnings, select };
}

function judgeParams(
  action: Action,
  given: unknown,
): Omit<CheckedCall, 'select'> & { readonly faults: readonly Fault[] } {
  const { params } = action;
  const asGiven = given ?? {};
  // Neither a Map nor a Date has params, and both would be taken for none.
  const tag = Object.prototype.toString.call(asGiven);
  if (!isJsonObject(asGiven) || tag !== '[object Object]') {
    const got = isJsonObject(asGiven) ? tag.slice('[object '.length, -1) : quote(given);
    const message = `must be an object, got ${got}`;
    const fault = { field: 'params', errorCode: 'wrong_type', message } as const;
    return { params: {}, warnings: [], faults: [fault] };
  }
  const { input, warnings } = withinLargestPage(params, withoutDigits(params, asGiven));
  const { values, faults } = checkMembers(params, input, 'params');
  const further = Object.entries(values).flatMap(([name, value]) => [
    ...pathFault(action, name, value),
    ...unitFault(params[name], name, value),
  ]);
  const all = [...faults, ...further, ...limitFault(params, input)];
  return { params: underOwnName(params, values), warnings, faults: all };
}

/** `limit` is another name of the page size: with both, one of them would be lost. */
function limitFault(params: Params, input: Values): readonly Fault[] {
  const name = pageSizeOf(params)?.name ?? LIMIT;
  const isGiven = (each: string) => Object.hasOwn(input, each) && (input[each] ?? null) !== null;
  if (name === LIMIT || !isGiven(LIMIT) || !isGiven(name)) return [];
  const message = `is another name of ${name}: give one of them`;
  return [{ field: `params.${LIMIT}`, errorCode: 'not_allowed', message }];
}

/** Seconds since 1970 of 1973 and of the year 5138: what lies between is a time of ours. */
const PLAUSIBLE_SECONDS = [1e8, 1e11] as const;

/** A time in another unit would be read as one near 1970, or far from now, and find all or nothing. */
function unitFault(param: Param | undefined, name: string, value: unknown): readonly Fault[] {
  const unit = param?.unit;
  if (unit === undefined || typeof value !== 'number' || isPlausible(value, unit)) return [];
  const units = Object.keys(UNITS_PER_SECOND) as TimeUnit[]; // The keys of a constant.
  const given = units.find((other) => other !== unit && isPlausible(value, other));
  if (given === undefined) return [];
  const meant = Math.floor((value / UNITS_PER_SECOND[given]) * UNITS_PER_SECOND[unit]);
  const message = `must be in ${unit} since 1970; ${value} is plainly in ${given}: give ${meant}`;
  return [{ field: `params.${name}`, errorCode: 'out_of_range', message }];
}

function isPlausible(time: number, unit: TimeUnit): boolean {
  const seconds = time / UNITS_PER_SECOND[unit];
  return seconds >= PLAUSIBLE_SECONDS[0] && seconds < PLAUSIBLE_SECONDS[1];
}

/**
 * A path segment that is empty or made of dots would address something else; so would one with such in
 * it, where something in between takes an encoded slash for one.
 */
function pathFault(action: Action, name: string, value: unknown): readonly Fault[] {
  const isInPath = action.request.includes(`{${name}}`);
  if (!isInPath || !/^$|(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(String(value))) return [];
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
