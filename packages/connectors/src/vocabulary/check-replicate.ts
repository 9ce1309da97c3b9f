import { Compile } from 'typebox/compile';
import type { ListAction } from './action.ts';
import { checkAction, type Report } from './check-action.ts';
import { listParamsOf, type Entity } from './entity.ts';
import type { Field } from './field.ts';
import type { ConnectorKind } from './kind.ts';
import type { Params } from './param.ts';
import type { InstantFormat, ParentCondition, Parents, Read, Since } from './replicate.ts';
import type { UpstreamErrors } from './upstream-errors.ts';

/** Finds the faults of how the copy of an entity is kept. */
export function checkReplicate(definition: ConnectorKind, entity: Entity, report: Report): void {
  const { name, replicate, search, record } = entity;
  if (replicate === undefined) return;
  const path = `entities.${name}.replicate`;
  if (search === undefined) report(path, 'is of an entity without searchable fields');
  const { increment, deleted, fullEveryHours } = replicate;
  if (!(fullEveryHours > 0)) report(`${path}.fullEveryHours`, 'is not above 0');
  if (
    deleted !== undefined &&
    (record[deleted.field] ?? search?.only?.[deleted.field]) === undefined
  )
    report(`${path}.deleted`, `"${deleted.field}" is no field`);
  const context = { definition, entity, report };
  checkRead(context, path, replicate);
  if (increment === undefined) return;
  const incrementPath = `${path}.increment`;
  const read = increment === 'same' ? replicate : increment;
  if (increment !== 'same') checkRead(context, incrementPath, increment);
  if (read.since === undefined && read.parents?.changedOnly !== true)
    report(incrementPath, 'reads everything: it has neither since nor parents with changedOnly');
}

interface Context {
  readonly definition: ConnectorKind;
  readonly entity: Entity;
  readonly report: Report;
}

function checkRead(context: Context, path: string, read: Read): void {
  const { definition, entity, report } = context;
  const list = read.list ?? entity.actions.list;
  if (list?.verb !== 'list') return report(path, 'needs a list action');
  if (read.list !== undefined) checkAction(definition, `${path}.list`, entity, list, report);
  for (const [name, value] of Object.entries(read.params ?? {}))
    checkParam(context, `${path}.params.${name}`, list, { name, value });
  for (const value of read.parts?.values ?? [])
    checkParam(context, `${path}.parts`, list, { name: read.parts?.param ?? '', value });
  if (read.parts?.values.length === 0) report(`${path}.parts`, 'has no values');
  checkCodes(context, `${path}.parts.refusals`, read.parts?.refusals);
  if (read.since !== undefined) checkSince(context, `${path}.since`, list, read.since);
  if (read.parents !== undefined) checkParents(context, `${path}.parents`, list, read.parents);
  checkGiven(context, path, list, read);
}

function checkParam(
  { report }: Context,
  path: string,
  { params }: ListAction,
  { name, value }: { readonly name: string; readonly value: unknown },
): void {
  const param = params[name];
  if (param === undefined) report(path, `"${name}" is no param of the list`);
  else if (!Compile(param.schema).Check(value)) report(path, `must be ${param.expects}`);
}

/** Finds params that the list, or the copy of its records, needs and that nothing gives. */
function checkGiven({ entity, report }: Context, path: string, list: ListAction, read: Read): void {
  const given = new Set([
    ...Object.keys(read.params ?? {}),
    ...Object.keys(read.parents?.params ?? {}),
    ...(read.parts === undefined ? [] : [read.parts.param]),
    ...(read.since === undefined ? [] : [read.since.param]),
  ]);
  const needed = Object.keys(list.params).filter((name) => list.params[name]?.isRequired === true);
  for (const name of new Set([...needed, ...listParamsOf(entity)]))
    if (!given.has(name)) report(path, `nothing gives the param "${name}"`);
}

function checkSince(context: Context, path: string, list: ListAction, since: Since): void {
  const param = list.params[since.param];
  if (param === undefined) context.report(path, `"${since.param}" is no param of the list`);
  else checkFormat(context, path, since.as, param.schema);
  if (since.overlapSeconds !== undefined && !(since.overlapSeconds >= 0))
    context.report(`${path}.overlapSeconds`, 'is negative');
  checkSetting(context, `${path}.startDate`, since.startDate, 'an instant');
  checkSetting(context, `${path}.lookbackDays`, since.lookbackDays, 'an integer');
}

function checkFormat({ report }: Context, path: string, as: InstantFormat, schema: unknown): void {
  const example = as === 'seconds' ? 1 : '1.000000';
  // What a param or a field carries is a schema, by its type.
  if (!Compile(schema as Params[string]['schema']).Check(example))
    report(`${path}.as`, `"${as}" is not of the type of what takes it`);
}

function checkParents(context: Context, path: string, list: ListAction, parents: Parents): void {
  const { definition, entity, report } = context;
  const names = Object.keys(definition.entities);
  const parent = definition.entities[parents.entity];
  if (parent?.search === undefined) return report(path, `"${parents.entity}" has no copy`);
  if (names.indexOf(parents.entity) >= names.indexOf(entity.name))
    report(path, `"${parents.entity}" does not stand before "${entity.name}"`);
  for (const [name, field] of Object.entries(parents.params)) {
    if (list.params[name] === undefined)
      report(`${path}.params`, `"${name}" is no param of the list`);
    findField(context, `${path}.params`, parent, field);
  }
  for (const condition of parents.where ?? [])
    checkCondition(context, `${path}.where`, parent, condition);
  if (parents.recent !== undefined) {
    const { lookbackDays, fields, as } = parents.recent;
    checkSetting(context, `${path}.recent.lookbackDays`, lookbackDays, 'an integer');
    for (const field of fields) {
      const found = findField(context, `${path}.recent.fields`, parent, field);
      if (found !== undefined) checkFormat(context, `${path}.recent`, as, found);
    }
    if (parents.changedOnly !== true) report(`${path}.recent`, 'is nothing without changedOnly');
  }
  if (parents.before !== undefined) checkBefore(context, `${path}.before`, parent, parents);
  checkCodes(context, `${path}.refusals`, parents.refusals);
}

function checkBefore(
  context: Context,
  path: string,
  parent: Entity,
  { before, params }: Parents,
): void {
  if (before === undefined) return;
  const { definition, entity, report } = context;
  checkAction(definition, `${path}.action`, entity, before.action, report);
  for (const name of Object.keys(before.action.params))
    if (params[name] === undefined) report(`${path}.action`, `nothing gives the param "${name}"`);
  checkSetting(context, `${path}.when`, before.when, 'true or false');
  for (const condition of before.where) checkCondition(context, `${path}.where`, parent, condition);
}

function checkCondition(
  context: Context,
  path: string,
  parent: Entity,
  condition: ParentCondition,
): void {
  if ('anyOf' in condition) {
    for (const each of condition.anyOf) checkCondition(context, path, parent, each);
    return;
  }
  checkSetting(context, path, condition.when, 'true or false');
  checkSetting(context, path, condition.unless, 'true or false');
  const field = findField(context, path, parent, condition.field);
  if (field === undefined) return;
  const operand =
    'above' in condition ? condition.above : 'is' in condition ? condition.is : condition.isNot;
  if (!Compile(field).Check(operand))
    context.report(path, `${JSON.stringify(operand)} is not of the type of "${condition.field}"`);
}

/** A searchable field of a parent, as it is searched. */
function findField(
  { report }: Context,
  path: string,
  { name, search, record }: Entity,
  field: string,
): Field | undefined {
  const found = search?.only?.[field] ?? record[field];
  if (found !== undefined && search?.fields.includes(field) === true) return found;
  report(path, `"${name}.${field}" is not searchable`);
  return undefined;
}

const SETTING_TYPES = {
  'an instant': '2000-01-01T00:00:00Z',
  'an integer': 1,
  'true or false': true,
} as const;

function checkSetting(
  { definition, report }: Context,
  path: string,
  name: string | undefined,
  type: keyof typeof SETTING_TYPES,
): void {
  if (name === undefined) return;
  const setting = definition.replicationConfig[name];
  if (setting === undefined) report(path, `"${name}" is no setting of the replication config`);
  else if (!Compile(setting.schema).Check(SETTING_TYPES[type]))
    report(path, `the setting "${name}" is not ${type}`);
}

function checkCodes(
  { definition, report }: Context,
  path: string,
  codes: readonly string[] | undefined,
): void {
  const { errors }: { readonly errors: UpstreamErrors } = definition;
  const known = new Set([...Object.keys(errors.codes), ...Object.values(errors.codes).flat()]);
  for (const code of codes ?? [])
    if (!known.has(code)) report(path, `"${code}" is in no list of codes`);
}
