import { Compile } from 'typebox/compile';
import { isWrite, type Action, type WriteAction } from './action.ts';
import type { AuthMethod } from './auth.ts';
import type { Entity } from './entity.ts';
import type { ConnectorKind } from './kind.ts';
import type { Params } from './param.ts';

/** Names that the typed call surface has for itself. */
const RESERVED_ENTITY_NAMES = ['execute', 'entities', 'describe', 'check', 'close', 'then'];

const SNAKE_CASE = /^[a-z][a-z0-9_]*$/;
const REQUEST_LINE = /^(GET|POST|PUT|PATCH|DELETE) \/\S+$/;
const REAL_RECORD_TYPES = ['string', 'integer', 'number', 'boolean'];

/** Every fault of a definition, each as `path: what is wrong`; none when it is sound. */
export function findDefinitionFaults(definition: ConnectorKind): readonly string[] {
  const faults: string[] = [];
  const report = (path: string, problem: string) => faults.push(`${path}: ${problem}`);
  checkIdentity(definition, report);
  checkBaseUrl(definition, report);
  for (const [name, method] of Object.entries(definition.auth))
    checkAuthMethod(`auth.${name}`, method, report);
  for (const [name, entity] of Object.entries(definition.entities))
    checkEntity(definition, name, entity, report);
  checkUpstreamErrors(definition, report);
  checkCheckCalls(definition, report);
  checkExtensions(definition, report);
  return faults;
}

type Report = (path: string, problem: string) => void;

function checkIdentity(definition: ConnectorKind, report: Report): void {
  if (!/^[a-z]+(-[a-z]+)*$/.test(definition.kind))
    report('kind', `"${definition.kind}" is not lower-case words joined by hyphens`);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(definition.definitionId))
    report('definitionId', 'is not a UUID');
  checkProse('', definition, report);
  if (Object.keys(definition.auth).length === 0) report('auth', 'has no method');
  if (Object.keys(definition.entities).length === 0) report('entities', 'has no entity');
}

function checkProse(
  path: string,
  { doc, reference }: { readonly doc: string; readonly reference: string },
  report: Report,
): void {
  const prefix = path === '' ? '' : `${path}.`;
  if (doc.trim() === '') report(`${prefix}doc`, 'is empty');
  if (!reference.startsWith('https://')) report(`${prefix}reference`, 'is not an https URL');
}

function checkBaseUrl(definition: ConnectorKind, report: Report): void {
  if (!definition.baseUrl.startsWith('https://')) report('baseUrl', 'is not an https URL');
  if (definition.baseUrl.endsWith('/')) report('baseUrl', 'ends with a slash');
  for (const name of placeholdersOf(definition.baseUrl))
    if (definition.config[name] === undefined) report('baseUrl', `{${name}} is no config variable`);
}

function checkAuthMethod(path: string, method: AuthMethod, report: Report): void {
  const used =
    method.use.scheme === 'bearer'
      ? [method.use.token]
      : placeholdersOf(`${method.use.username} ${method.use.password}`);
  for (const name of used)
    if (method.fields[name]?.isRequired !== true)
      report(`${path}.use`, `"${name}" is no required credential field`);
  for (const [name, { doc }] of Object.entries(method.fields)) {
    if (!SNAKE_CASE.test(name)) report(`${path}.fields.${name}`, 'is not snake_case');
    if (doc.trim() === '') report(`${path}.fields.${name}.doc`, 'is empty');
  }
}

function checkEntity(
  definition: ConnectorKind,
  name: string,
  entity: Entity,
  report: Report,
): void {
  const path = `entities.${name}`;
  if (entity.name !== name) report(`${path}.name`, `is "${entity.name}", not "${name}"`);
  if (!SNAKE_CASE.test(name)) report(path, 'is not snake_case');
  if (RESERVED_ENTITY_NAMES.includes(name)) report(path, 'is a reserved name');
  checkProse(path, entity, report);
  for (const [fieldName, field] of Object.entries(entity.record)) {
    if (!SNAKE_CASE.test(fieldName)) report(`${path}.record.${fieldName}`, 'is not snake_case');
    if (field.description.trim() === '') report(`${path}.record.${fieldName}`, 'has no doc');
  }
  checkKey(path, entity, report);
  checkSearch(path, entity, report);
  checkReplicate(definition, path, entity, report);
  for (const [verb, action] of Object.entries(entity.actions)) {
    if (action.verb !== verb) report(`${path}.actions.${verb}`, `is a "${action.verb}" action`);
    checkAction(definition, `${path}.actions.${verb}`, entity, action, report);
  }
}

function checkKey(path: string, entity: Entity, report: Report): void {
  const isAlways = (part: string) => entity.record[part]?.['x-always'] === true;
  // Beside a part that is always there, another may be null: together they still tell records apart.
  const hasAlways = entity.key.some(isAlways);
  for (const part of entity.key) {
    const paramName = part.startsWith('params.') ? part.slice('params.'.length) : undefined;
    if (paramName !== undefined) {
      if (entity.actions.list?.params[paramName]?.isRequired !== true)
        report(`${path}.key`, `"${paramName}" is no required param of list`);
    } else if (!isAlways(part) && (!hasAlways || entity.record[part] === undefined)) {
      report(`${path}.key`, `"${part}" is no record field that is always there`);
    }
  }
}

function checkSearch(path: string, { search, record }: Entity, report: Report): void {
  if (search === undefined) return;
  const only = search.only ?? {};
  search.fields.forEach((name, index) => {
    if (record[name] === undefined && only[name] === undefined)
      report(`${path}.search.fields.${index}`, `"${name}" is neither in the record nor in only`);
    if (search.fields.indexOf(name) !== index)
      report(`${path}.search.fields.${index}`, `"${name}" is listed twice`);
  });
  for (const name of Object.keys(only))
    if (!search.fields.includes(name))
      report(`${path}.search.only.${name}`, 'is not listed in fields');
  for (const list of ['sortable', 'text'] as const)
    for (const name of search[list] ?? []) {
      const field = only[name] ?? record[name];
      if (!search.fields.includes(name) || field === undefined)
        report(`${path}.search.${list}`, `"${name}" is not searchable`);
      else if (list === 'sortable' && !REAL_RECORD_TYPES.includes(field['x-field']))
        report(`${path}.search.sortable`, `"${name}" is no scalar`);
    }
}

function checkReplicate(
  definition: ConnectorKind,
  path: string,
  { replicate, actions, record }: Entity,
  report: Report,
): void {
  if (replicate === undefined) return;
  const params = actions.list?.params;
  if (params === undefined) return report(`${path}.replicate`, 'needs a list action');
  const needed = [
    ...Object.keys(replicate.params ?? {}),
    ...(replicate.checkpoint === undefined ? [] : [replicate.checkpoint.param]),
    ...(replicate.parents ?? []).map((parent) => parent.param),
  ];
  for (const name of needed)
    if (params[name] === undefined) report(`${path}.replicate`, `"${name}" is no param of list`);
  if (replicate.checkpoint !== undefined && record[replicate.checkpoint.field] === undefined)
    report(`${path}.replicate.checkpoint`, `"${replicate.checkpoint.field}" is no record field`);
  for (const parent of replicate.parents ?? [])
    if (definition.entities[parent.entity]?.record[parent.field] === undefined)
      report(`${path}.replicate.parents`, `"${parent.entity}.${parent.field}" is no record field`);
}

function checkAction(
  definition: ConnectorKind,
  path: string,
  entity: Entity,
  action: Action,
  report: Report,
): void {
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
    checkReadBack(definition, path, action, report);
    if (action.howToFindOut.trim() === '') report(`${path}.howToFindOut`, 'is empty');
  }
  for (const rule of action.policies?.rates ?? [])
    if (rule.perParam !== undefined && action.params[rule.perParam] === undefined)
      report(`${path}.policies.rates`, `"${rule.perParam}" is no param`);
}

function checkReadBack(
  definition: ConnectorKind,
  path: string,
  { readBack, params }: WriteAction,
  report: Report,
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

function checkParams(path: string, { request, params }: Action, report: Report): void {
  const placeholders = placeholdersOf(request);
  for (const name of placeholders)
    if (params[name]?.isRequired !== true)
      report(`${path}.request`, `{${name}} is no required param`);
  for (const [name, param] of Object.entries(params)) {
    const paramPath = `${path}.params.${name}`;
    if (!SNAKE_CASE.test(name)) report(paramPath, 'is not snake_case');
    if (param.doc.trim() === '') report(`${paramPath}.doc`, 'is empty');
    const other = param.upstreamNameWith?.param;
    if (other !== undefined && params[other] === undefined)
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
      return param(paging.sizeParam);
    case 'link':
      if (paging.sizeParam !== undefined) param(paging.sizeParam);
      return metaField(paging.next);
  }
}

function checkUpstreamErrors({ errors }: ConnectorKind, report: Report): void {
  const seen = new Set<string>();
  for (const [ours, codes] of Object.entries(errors.codes))
    for (const code of codes) {
      if (seen.has(code)) report(`errors.codes.${ours}`, `"${code}" is listed twice`);
      seen.add(code);
    }
  for (const code of errors.writeMayHaveHappened)
    if (!seen.has(code)) report('errors.writeMayHaveHappened', `"${code}" is in no list of codes`);
}

function checkCheckCalls(definition: ConnectorKind, report: Report): void {
  if (definition.checks.length === 0) report('checks', 'is empty');
  definition.checks.forEach(({ entity, action, params }, index) => {
    const target = definition.entities[entity]?.actions[action];
    if (target === undefined) return report(`checks.${index}`, `there is no ${entity}.${action}`);
    checkCallParams(`checks.${index}.params`, target.params, params, report);
  });
}

function checkCallParams(
  path: string,
  declared: Params,
  given: { readonly [name: string]: unknown },
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

function checkExtensions(definition: ConnectorKind, report: Report): void {
  definition.extensions.forEach((path, index) => {
    if (!exists(definition, path.split('.')))
      report(`extensions.${index}`, `there is nothing at "${path}"`);
  });
}

function exists(root: unknown, segments: readonly string[]): boolean {
  let at: unknown = root;
  for (const segment of segments) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, segment)) return false;
    // Object.hasOwn has just proven the member.
    at = (at as Record<string, unknown>)[segment];
  }
  return at !== undefined;
}

function placeholdersOf(template: string): readonly string[] {
  return [...template.matchAll(/\{([a-z0-9_]+)\}/g)].map((match) => match[1] ?? '');
}
