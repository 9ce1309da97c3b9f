import type { AuthMethod } from './auth.ts';
import {
  checkAction,
  checkCallParams,
  checkProse,
  SNAKE_CASE,
  type Checking,
  type Report,
} from './check-action.ts';
import { checkIdentityReads } from './check-identity.ts';
import { checkReplicate } from './check-replicate.ts';
import { checkEnds } from './check-revocation.ts';
import { distributed, distributionNamesOf, distributionTermsOf } from './distributed.ts';
import type { Entity } from './entity.ts';
import type { Field } from './field.ts';
import type { ConnectorKind } from './kind.ts';
import { memberPathsOf } from './members.ts';
import type { OAuthAddress } from './oauth.ts';
import { pageSizeOf } from './param.ts';
import { placeholdersOf } from './placeholders.ts';

/** Names that the typed call surface has for itself. */
const RESERVED_ENTITY_NAMES = [
  'all',
  'check',
  'close',
  'describe',
  'entities',
  'execute',
  'id',
  'pages',
  'search',
  'sync',
  'then',
];

const REAL_RECORD_TYPES = ['string', 'integer', 'number', 'boolean'];

/**
 * Every fault of a definition, each as `path: what is wrong`; none when it is sound. What only one of
 * its distributions makes wrong is below that.
 */
export function findDefinitionFaults(definition: ConnectorKind): readonly string[] {
  const faults = findFaults(definition);
  for (const name of distributionNamesOf(definition)) {
    const path = `distributions.each.${name}`;
    const ofTerms = findFaultsOfTerms(definition, name).map((fault) => `${path}.${fault}`);
    faults.push(...ofTerms);
    if (ofTerms.length > 0) continue;
    const further = findFaults(distributed(definition, name));
    faults.push(
      ...further.filter((each) => !faults.includes(each)).map((each) => `${path} leads to ${each}`),
    );
  }
  return faults;
}

function findFaults(definition: ConnectorKind): string[] {
  const faults: string[] = [];
  const report = (path: string, problem: string) => faults.push(`${path}: ${problem}`);
  checkIdentity(definition, report);
  checkBaseUrl(definition, report);
  for (const [name, method] of Object.entries(definition.auth))
    checkAuthMethod(`auth.${name}`, method, report);
  checkOAuth(definition, report);
  checkEnds(definition, report);
  checkUsualSettings(definition, report);
  checkIdentityReads(definition, report);
  for (const [name, entity] of Object.entries(definition.entities))
    checkEntity({ definition, entity, report }, name);
  checkUpstreamErrors(definition, report);
  checkCheckCalls(definition, report);
  checkExtensions(definition, report);
  checkDistributions(definition, report);
  return faults;
}

function checkIdentity(definition: ConnectorKind, report: Report): void {
  if (!/^[a-z]+(-[a-z]+)*$/.test(definition.kind))
    report('kind', `"${definition.kind}" is not lower-case words joined by hyphens`);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(definition.definitionId))
    report('definitionId', 'is not a UUID');
  checkProse('', definition, report);
  if (Object.keys(definition.auth).length === 0) report('auth', 'has no method');
  if (Object.keys(definition.entities).length === 0) report('entities', 'has no entity');
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
  const isIssued = method.grants?.includes('client_credentials') === true;
  for (const name of used)
    if (method.fields[name]?.isRequired !== true && !isIssued)
      report(`${path}.use`, `"${name}" is no required credential field`);
  for (const [name, { doc }] of Object.entries(method.fields)) {
    if (!SNAKE_CASE.test(name)) report(`${path}.fields.${name}`, 'is not snake_case');
    if (doc.trim() === '') report(`${path}.fields.${name}.doc`, 'is empty');
  }
}

/** What a grant sends besides what the authorization server issued. */
const NEEDED_FIELDS = {
  authorization_code: [],
  refresh_token: ['refresh_token', 'expires_at', 'client_id', 'client_secret'],
  client_credentials: ['client_id', 'client_secret'],
} as const;

function checkOAuth(definition: ConnectorKind, report: Report): void {
  const { oauth } = definition;
  for (const [name, { grants = [], fields }] of Object.entries(definition.auth)) {
    if (grants.length > 0 && oauth === undefined)
      report(`auth.${name}.grants`, 'has grants, but the kind has no authorization server');
    for (const grant of grants)
      for (const needed of NEEDED_FIELDS[grant])
        if (fields[needed] === undefined)
          report(`auth.${name}.fields`, `${grant} needs the field "${needed}"`);
  }
  if (oauth === undefined) return;
  checkAddress(definition, { path: 'oauth.consent', address: oauth.consent.address }, report);
  checkAddress(definition, { path: 'oauth.token', address: oauth.token.address }, report);
}

/** A person who consents is asked for no settings, so those that are required must be usual ones. */
function checkUsualSettings(definition: ConnectorKind, report: Report): void {
  const { auth, replicationConfig, requiresReplicationConfig, usualReplicationConfig } = definition;
  const usual = usualReplicationConfig ?? {};
  for (const name of Object.keys(usual))
    if (replicationConfig[name] === undefined)
      report(`usualReplicationConfig.${name}`, 'is no member of the replication config');
  const isConsentedTo = Object.values(auth).some(({ grants = [] }) =>
    grants.includes('authorization_code'),
  );
  if (!isConsentedTo || !requiresReplicationConfig) return;
  for (const [name, { isRequired }] of Object.entries(replicationConfig))
    if (isRequired && usual[name] === undefined)
      report('usualReplicationConfig', `lacks "${name}", which consent needs`);
}

function checkAddress(
  { config }: ConnectorKind,
  { path, address }: { readonly path: string; readonly address: OAuthAddress },
  report: Report,
): void {
  const each = typeof address === 'string' ? [address] : Object.values(address.addresses);
  for (const url of each) {
    if (!url.startsWith('https://')) report(`${path}.address`, `"${url}" is no https URL`);
    for (const name of placeholdersOf(url))
      if (config[name] === undefined) report(`${path}.address`, `{${name}} is no config variable`);
  }
  if (typeof address === 'string') return;
  const words = Object.keys(config[address.variable]?.stands ?? {});
  if (words.toSorted().join() !== Object.keys(address.addresses).toSorted().join())
    report(`${path}.address`, `does not have one address for each word of ${address.variable}`);
}

function checkEntity(checking: Checking, name: string): void {
  const { entity, report } = checking;
  const path = `entities.${name}`;
  if (entity.name !== name) report(`${path}.name`, `is "${entity.name}", not "${name}"`);
  if (!SNAKE_CASE.test(name)) report(path, 'is not snake_case');
  if (RESERVED_ENTITY_NAMES.includes(name)) report(path, 'is a reserved name');
  checkProse(path, entity, report);
  for (const [fieldName, field] of Object.entries(entity.record)) {
    if (!SNAKE_CASE.test(fieldName)) report(`${path}.record.${fieldName}`, 'is not snake_case');
    if (field.description.trim() === '') report(`${path}.record.${fieldName}`, 'has no doc');
    checkMembers(`${path}.record.${fieldName}`, fieldName, { field, report });
  }
  for (const [fieldName, field] of Object.entries(entity.search?.only ?? {}))
    checkMembers(`${path}.search.only.${fieldName}`, fieldName, { field, report });
  const known = new Set([...Object.keys(entity.record), ...(entity.search?.fields ?? [])]);
  for (const left of entity.leftOut ?? [])
    if (known.has(left)) report(`${path}.leftOut`, `"${left}" is not left out: it is a field`);
  checkKey(path, entity, report);
  checkSearch(path, entity, report);
  checkReplicate(checking);
  for (const [verb, action] of Object.entries(entity.actions)) {
    if (action.verb !== verb) report(`${path}.actions.${verb}`, `is a "${action.verb}" action`);
    checkAction(checking, `${path}.actions.${verb}`, action);
    if (action.verb === 'list' && action.paging.strategy === 'scroll')
      report(
        `${path}.actions.${verb}.paging`,
        'is a scroll, of which callers could not ask a page twice',
      );
  }
}

/** Dots and brackets would not be told from those of the path. */
function checkMembers(
  path: string,
  name: string,
  { field, report }: { readonly field: Field; readonly report: Report },
): void {
  const members = field['x-members'];
  if (members === undefined) return;
  if (Object.keys(members).length === 0) report(path, 'has members, but none');
  for (const { segments } of memberPathsOf(name, members, { isArray: false }))
    if (!/^\w+$/.test(segments.at(-1) ?? ''))
      report(path, `the member "${segments.join('.')}" is no plain name`);
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

function checkSearch(path: string, { search, record, actions }: Entity, report: Report): void {
  if (search === undefined) return;
  const only = search.only ?? {};
  for (const [name, param] of Object.entries(search.fromParams ?? {})) {
    if (only[name] === undefined) report(`${path}.search.fromParams.${name}`, 'is not in only');
    if (actions.list?.params[param]?.isRequired !== true)
      report(`${path}.search.fromParams.${name}`, `"${param}" is no required param of list`);
  }
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

function checkUpstreamErrors({ errors }: ConnectorKind, report: Report): void {
  const seen = new Set<string>();
  for (const [ours, codes] of Object.entries(errors.codes))
    for (const code of codes) {
      if (seen.has(code)) report(`errors.codes.${ours}`, `"${code}" is listed twice`);
      seen.add(code);
    }
  for (const code of errors.cursorCodes ?? [])
    if (seen.has(code)) report('errors.cursorCodes', `"${code}" is in another list of codes`);
  for (const code of errors.writeMayHaveHappened)
    if (!seen.has(code)) report('errors.writeMayHaveHappened', `"${code}" is in no list of codes`);
}

function checkCheckCalls(definition: ConnectorKind, report: Report): void {
  if (definition.checks.length === 0) report('checks', 'is empty');
  definition.checks.forEach(({ entity, action, params }, index) => {
    const target = definition.entities[entity]?.actions[action];
    if (target === undefined) return report(`checks.${index}`, `there is no ${entity}.${action}`);
    checkCallParams(`checks.${index}.params`, { declared: target.params, given: params }, report);
  });
}

function checkDistributions(definition: ConnectorKind, report: Report): void {
  const { distributions } = definition;
  if (distributions === undefined) return;
  checkProse('distributions', distributions, report);
  if (!distributionNamesOf(definition).includes(distributions.applies))
    report('distributions.applies', `"${distributions.applies}" is none of them`);
}

/** The faults of the terms of a distribution, their paths from its name on. */
function findFaultsOfTerms(definition: ConnectorKind, name: string): string[] {
  const { distributions, entities } = definition;
  const { doc = '', lists = {}, notCopied = [] } = distributionTermsOf(definition, name) ?? {};
  const faults: string[] = [];
  const report = (path: string, problem: string) => faults.push(`${path}: ${problem}`);
  if (doc.trim() === '') report('doc', 'is empty');
  if (name === distributions?.applies && Object.keys(lists).length + notCopied.length > 0)
    report('lists', 'differ from the definition, which is of this distribution');
  for (const [entity, { largestPage }] of Object.entries(lists)) {
    const list = entities[entity]?.actions.list;
    const maximum = list && pageSizeOf(list.params)?.maximum;
    if (maximum === undefined) report(`lists.${entity}`, 'is no list with a page size');
    else if (!Number.isInteger(largestPage) || largestPage < 1 || largestPage > maximum)
      report(`lists.${entity}.largestPage`, `is no integer from 1 to ${maximum}`);
  }
  for (const entity of notCopied)
    if (entities[entity]?.search === undefined) report('notCopied', `"${entity}" is never copied`);
  return faults;
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
