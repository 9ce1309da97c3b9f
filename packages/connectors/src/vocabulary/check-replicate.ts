import { Compile } from 'typebox/compile';
import type { ListAction } from './action.ts';
import { checkAction, type Checking } from './check-action.ts';
import { listParamsOf, type Entity } from './entity.ts';
import type { Field } from './field.ts';
import type { Params } from './param.ts';
import type { InstantFormat, ParentCondition, Parents, Read, Since } from './replicate.ts';
import type { UpstreamErrors } from './upstream-errors.ts';

/** Finds the faults of how the copy of an entity is kept. */
export function checkReplicate(checking: Checking): void {
  const { entity, report } = checking;
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
  checkRead(checking, path, replicate);
  if (increment === undefined) return;
  const incrementPath = `${path}.increment`;
  const read = increment === 'same' ? replicate : increment;
  if (increment !== 'same') checkRead(checking, incrementPath, increment);
  if (read.since === undefined && read.parents?.changedOnly !== true)
    report(incrementPath, 'reads everything: it has neither since nor parents with changedOnly');
}

/** Of a list, or one for each parent. */
interface ListChecking extends Checking {
  readonly list: ListAction;
}

interface ParentChecking extends Checking {
  readonly parent: Entity;
}

function checkRead(checking: Checking, path: string, read: Read): void {
  const { entity, report } = checking;
  const list = read.list ?? entity.actions.list;
  if (list?.verb !== 'list') return report(path, 'needs a list action');
  if (read.list !== undefined) checkAction(checking, `${path}.list`, list);
  const ofList = { ...checking, list };
  for (const [name, value] of Object.entries(read.params ?? {}))
    checkParam(ofList, `${path}.params.${name}`, { name, value });
  for (const value of read.parts?.values ?? [])
    checkParam(ofList, `${path}.parts`, { name: read.parts?.param ?? '', value });
  if (read.parts?.values.length === 0) report(`${path}.parts`, 'has no values');
  checkCodes(checking, `${path}.parts.refusals`, read.parts?.refusals);
  if (read.since !== undefined) checkSince(ofList, `${path}.since`, read.since);
  if (read.parents !== undefined) checkParents(ofList, `${path}.parents`, read.parents);
  if (read.beyond !== undefined) checkBeyond(checking, path, read);
  checkGiven(ofList, path, read);
}

function checkBeyond(checking: Checking, path: string, { beyond, parents }: Read): void {
  if (beyond === undefined) return;
  const { report } = checking;
  const { paging, params } = beyond.list;
  checkAction(checking, `${path}.beyond.list`, beyond.list);
  if (!(beyond.most > 0)) report(`${path}.beyond.most`, 'is not above 0');
  if (parents !== undefined)
    report(`${path}.beyond`, 'is of several lists: it has parents beside it');
  for (const name of Object.keys(params))
    if (params[name]?.isRequired === true)
      report(`${path}.beyond.list`, `nothing gives the param "${name}"`);
  if (paging.strategy !== 'scroll') report(`${path}.beyond.list.paging`, 'is no scroll');
}

function checkParam(
  { list, report }: ListChecking,
  path: string,
  { name, value }: { readonly name: string; readonly value: unknown },
): void {
  const param = list.params[name];
  if (param === undefined) report(path, `"${name}" is no param of the list`);
  else if (!Compile(param.schema).Check(value)) report(path, `must be ${param.expects}`);
}

/** Finds params that the list, or the copy of its records, needs and that nothing gives. */
function checkGiven({ entity, list, report }: ListChecking, path: string, read: Read): void {
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

function checkSince(checking: ListChecking, path: string, since: Since): void {
  const { list, report } = checking;
  const param = list.params[since.param];
  if (param === undefined) report(path, `"${since.param}" is no param of the list`);
  else checkFormat(checking, path, { as: since.as, schema: param.schema });
  if (since.overlapSeconds !== undefined && !(since.overlapSeconds >= 0))
    report(`${path}.overlapSeconds`, 'is negative');
  if (since.hiddenSeconds !== undefined && !(since.hiddenSeconds >= 0))
    report(`${path}.hiddenSeconds`, 'is negative');
  checkSetting(checking, `${path}.startDate`, { name: since.startDate, is: 'an instant' });
  checkSetting(checking, `${path}.lookbackDays`, { name: since.lookbackDays, is: 'an integer' });
}

function checkFormat(
  { report }: Checking,
  path: string,
  { as, schema }: { readonly as: InstantFormat; readonly schema: unknown },
): void {
  const example = as === 'seconds' ? 1 : '1.000000';
  // What a param or a field carries is a schema, by its type.
  if (!Compile(schema as Params[string]['schema']).Check(example))
    report(`${path}.as`, `"${as}" is not of the type of what takes it`);
}

function checkParents(checking: ListChecking, path: string, parents: Parents): void {
  const { definition, entity, list, report } = checking;
  const names = Object.keys(definition.entities);
  const parent = definition.entities[parents.entity];
  if (parent?.search === undefined) return report(path, `"${parents.entity}" has no copy`);
  if (names.indexOf(parents.entity) >= names.indexOf(entity.name))
    report(path, `"${parents.entity}" does not stand before "${entity.name}"`);
  const ofParent = { ...checking, parent };
  for (const [name, field] of Object.entries(parents.params)) {
    if (list.params[name] === undefined)
      report(`${path}.params`, `"${name}" is no param of the list`);
    findField(ofParent, `${path}.params`, field);
  }
  for (const condition of parents.where ?? []) checkCondition(ofParent, `${path}.where`, condition);
  if (parents.recent !== undefined) {
    const { lookbackDays, fields, as } = parents.recent;
    checkSetting(checking, `${path}.recent.lookbackDays`, { name: lookbackDays, is: 'an integer' });
    for (const field of fields) {
      const found = findField(ofParent, `${path}.recent.fields`, field);
      if (found !== undefined) checkFormat(checking, `${path}.recent`, { as, schema: found });
    }
    if (parents.changedOnly !== true) report(`${path}.recent`, 'is nothing without changedOnly');
  }
  if (parents.before !== undefined) checkBefore(ofParent, `${path}.before`, parents);
  checkCodes(checking, `${path}.refusals`, parents.refusals);
}

function checkBefore(checking: ParentChecking, path: string, { before, params }: Parents): void {
  if (before === undefined) return;
  const { report } = checking;
  checkAction(checking, `${path}.action`, before.action);
  for (const name of Object.keys(before.action.params))
    if (params[name] === undefined) report(`${path}.action`, `nothing gives the param "${name}"`);
  checkSetting(checking, `${path}.when`, { name: before.when, is: 'true or false' });
  for (const condition of before.where) checkCondition(checking, `${path}.where`, condition);
}

function checkCondition(checking: ParentChecking, path: string, condition: ParentCondition): void {
  if ('anyOf' in condition) {
    for (const each of condition.anyOf) checkCondition(checking, path, each);
    return;
  }
  for (const name of [condition.when, condition.unless])
    checkSetting(checking, path, { name, is: 'true or false' });
  const field = findField(checking, path, condition.field);
  if (field === undefined) return;
  const operand =
    'above' in condition ? condition.above : 'is' in condition ? condition.is : condition.isNot;
  if (!Compile(field).Check(operand))
    checking.report(path, `${JSON.stringify(operand)} is not of the type of "${condition.field}"`);
}

/** A searchable field of a parent, as it is searched. */
function findField(
  { parent, report }: ParentChecking,
  path: string,
  field: string,
): Field | undefined {
  const { name, search, record } = parent;
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
  { definition, report }: Checking,
  path: string,
  { name, is }: { readonly name: string | undefined; readonly is: keyof typeof SETTING_TYPES },
): void {
  if (name === undefined) return;
  const setting = definition.replicationConfig[name];
  if (setting === undefined) report(path, `"${name}" is no setting of the replication config`);
  else if (!Compile(setting.schema).Check(SETTING_TYPES[is]))
    report(path, `the setting "${name}" is not ${is}`);
}

function checkCodes(
  { definition, report }: Checking,
  path: string,
  codes: readonly string[] | undefined,
): void {
  const { errors }: { readonly errors: UpstreamErrors } = definition;
  const known = new Set([...Object.keys(errors.codes), ...Object.values(errors.codes).flat()]);
  for (const code of codes ?? [])
    if (!known.has(code)) report(path, `"${code}" is in no list of codes`);
}
