import { Compile } from 'typebox/compile';
import { isWrite, type Action, type WriteAction } from './action.ts';
import { copiesOf, listParamsOf, type Entity } from './entity.ts';
import type { ConnectorKind } from './kind.ts';
import { pageSizeOf, type Params } from './param.ts';
import { placeholdersOf } from './placeholders.ts';

/** Records one fault. */
export type Report = (path: string, problem: string) => void;

export const SNAKE_CASE = /^[a-z][a-z0-9_]*$/;
export const REQUEST_LINE = /^(GET|POST|PUT|PATCH|DELETE) \/\S+$/;

/** What is checked, and where its faults go. */
export interface Checking {
  readonly definition: ConnectorKind;
  readonly entity: Entity;
  readonly report: Report;
}

/** Finds the faults of an action. */
export function checkAction(checking: Checking, path: string, action: Action): void {
  const { entity, report } = checking;
  checkProse(path, action, report);
  if (!REQUEST_LINE.test(action.request)) report(`${path}.request`, 'is not "METHOD /path"');
  checkParams(path, action, report);
  if (action.verb === 'download' && action.rangeParam !== undefined)
    if (action.params[action.rangeParam]?.goesTo !== 'nowhere')
      report(`${path}.rangeParam`, `"${action.rangeParam}" is no param that goes nowhere else`);
  if (action.verb === 'list') checkPaging(path, action, report);
  if (isWrite(action)) {
    for (const name of Object.keys(action.fill ?? {}))
      if (entity.record[name] === undefined) report(`${path}.fill.${name}`, 'is no record field');
    checkReadBack(checking, path, action);
    checkCopies(checking, path, action);
    if (action.howToFindOut.trim() === '') report(`${path}.howToFindOut`, 'is empty');
  }
  for (const rule of action.policies?.rates ?? [])
    if (rule.perParam !== undefined && action.params[rule.perParam] === undefined)
      report(`${path}.policies.rates`, `"${rule.perParam}" is no param`);
}

function checkReadBack(
  { definition, report }: Checking,
  path: string,
  { readBack, params }: WriteAction,
): void {
  if (readBack === undefined) return;
  const read = definition.entities[readBack.entity]?.actions.get;
  if (read?.verb !== 'get') return report(`${path}.readBack`, `there is no ${readBack.entity}.get`);
  for (const [readParam, writeParam] of Object.entries(readBack.params)) {
    if (read.params[readParam] === undefined)
      report(`${path}.readBack.params`, `"${readParam}" is no param of ${readBack.entity}.get`);
    if (params[writeParam] === undefined)
      report(`${path}.readBack.params`, `"${writeParam}" is no param`);
  }
}

/** Every part of the key in a copy, and every field of params there, has to come from somewhere. */
function checkCopies(
  { definition, entity, report }: Checking,
  path: string,
  action: WriteAction,
): void {
  copiesOf(entity, action).forEach((copy, index) => {
    const at = `${path}.copies.${index}`;
    const target = definition.entities[copy.entity];
    if (target?.search === undefined) return report(at, `"${copy.entity}" has no copy`);
    for (const name of listParamsOf(target))
      if (copy.params?.[name] === undefined) report(`${at}.params`, `"${name}" is missing`);
    for (const name of [copy.given, copy.notGiven])
      if (name !== undefined && action.params[name] === undefined)
        report(at, `"${name}" is no param`);
  });
}

function checkParams(path: string, { request, params }: Action, report: Report): void {
  const placeholders = placeholdersOf(request);
  for (const name of placeholders)
    if (params[name]?.isRequired !== true)
      report(`${path}.request`, `{${name}} is no required param`);
  for (const [name, param] of Object.entries(params)) {
    const paramPath = `${path}.params.${name}`;
    if (!SNAKE_CASE.test(name)) report(paramPath, 'is not snake_case');
    if (param.doc.trim() === '') report(`${paramPath}.doc`, 'is empty');
    if (param.omittedWith !== undefined && params[param.omittedWith] === undefined)
      report(`${paramPath}.omittedWith`, `"${param.omittedWith}" is no param`);
    const { params: beside = [], unless = beside.slice(0, 1) } = param.upstreamNameWith ?? {};
    for (const other of [beside, unless].flat())
      if (params[other] === undefined)
        report(`${paramPath}.upstreamNameWith`, `"${other}" is no param`);
    if (param.default !== undefined && !Compile(param.schema).Check(param.default))
      report(`${paramPath}.default`, `must be ${param.expects}`);
    if (param.goesTo === 'body' && request.startsWith('GET '))
      report(`${paramPath}.goesTo`, 'is "body", but a GET has none');
  }
}

function checkPaging(
  path: string,
  { paging, params, meta }: Extract<Action, { verb: 'list' }>,
  report: Report,
): void {
  const param = (name: string) => {
    if (params[name] === undefined) report(`${path}.paging`, `"${name}" is no param`);
  };
  const metaField = (name: string) => {
    if (meta[name] === undefined) report(`${path}.paging`, `"${name}" is no Meta field`);
  };
  const sizes = Object.values(params).filter(({ role }) => role === 'page_size');
  if (sizes.length > 1) report(`${path}.params`, 'has more than one page size');
  if (params['limit']?.role === undefined)
    report(`${path}.params.limit`, 'is not the page size, which every list takes by that name');
  const needsSize = () => {
    if (pageSizeOf(params)?.standard === undefined)
      report(`${path}.paging`, 'needs a page size with a default, to tell a short page');
  };
  switch (paging.strategy) {
    case 'single':
      return;
    case 'cursor':
      param(paging.param);
      for (const name of paging.walk?.unless ?? []) param(name);
      if (paging.orLink !== undefined) metaField(paging.orLink);
      return metaField(paging.next);
    case 'after_last_key':
      param(paging.param);
      return needsSize();
    case 'scroll':
      param(paging.param);
      return metaField(paging.next);
    case 'link':
      for (const name of paging.place ?? []) param(name);
      if (paging.endsShort === true) needsSize();
      return metaField(paging.next);
  }
}

/** Finds params that are unknown, of a wrong value or missing. */
export function checkCallParams(
  path: string,
  {
    declared,
    given,
  }: { readonly declared: Params; readonly given: Readonly<Record<string, unknown>> },
  report: Report,
): void {
  for (const [name, value] of Object.entries(given)) {
    const param = declared[name];
    if (param === undefined) report(`${path}.${name}`, 'is no param');
    else if (!Compile(param.schema).Check(value))
      report(`${path}.${name}`, `must be ${param.expects}`);
  }
  for (const [name, param] of Object.entries(declared))
    if (param.isRequired && given[name] === undefined) report(`${path}.${name}`, 'is missing');
}

/** Finds missing words and links. */
export function checkProse(
  path: string,
  { doc, reference }: { readonly doc: string; readonly reference: string },
  report: Report,
): void {
  const prefix = path === '' ? '' : `${path}.`;
  if (doc.trim() === '') report(`${prefix}doc`, 'is empty');
  if (!reference.startsWith('https://')) report(`${prefix}reference`, 'is not an https URL');
}
