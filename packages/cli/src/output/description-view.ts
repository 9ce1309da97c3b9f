import {
  unknownEntity,
  unsupportedAction,
  type ActionDescription,
  type EntityDescription,
  type KindDescription,
} from '@patchbay/connectors/definitions';
import type { Terminal } from '../terminal.ts';
import { showTable } from './show-table.ts';

/** What is to be described, and what it is part of. */
type DescribedPart =
  | { readonly type: 'kind'; readonly value: KindDescription }
  | { readonly type: 'entity'; readonly value: EntityDescription; readonly kind: KindDescription }
  | {
      readonly type: 'action';
      readonly value: ActionDescription;
      readonly entity: EntityDescription;
      readonly kind: KindDescription;
    }
  | {
      readonly type: 'search';
      readonly value: Pick<EntityDescription, 'name' | 'searchable'>;
      readonly entity: EntityDescription;
      readonly kind: KindDescription;
    };

/**
 * The part of a kind that a path leads to.
 *
 * @throws `unknown_entity`, `unsupported_action` with the names there are.
 */
export function describedPart(
  kind: KindDescription,
  path: { readonly entity: string | undefined; readonly action: string | undefined },
): DescribedPart {
  if (path.entity === undefined) return { type: 'kind', value: kind };
  const entity = kind.entities.find(({ name }) => name === path.entity);
  if (entity === undefined) throw unknownEntity(kind.kind, path.entity, namesOf(kind.entities));
  if (path.action === undefined) return { type: 'entity', value: entity, kind };
  const { searchable } = entity;
  if (path.action === 'search' && searchable.length > 0)
    return { type: 'search', value: { name: 'search', searchable }, entity, kind };
  const action = entity.actions.find(({ name }) => name === path.action);
  if (action === undefined)
    throw unsupportedAction(entity.name, path.action, actionNamesOf(entity));
  return { type: 'action', value: action, entity, kind };
}

/** Shows a description to a person. */
export function showDescription(part: DescribedPart, terminal: Terminal): void {
  switch (part.type) {
    case 'kind':
      return showKind(part.value, terminal);
    case 'entity':
      return showEntity(part.value, part.kind, terminal);
    case 'action':
      return showAction(part.value, { entity: part.entity.name, kind: part.kind }, terminal);
    case 'search':
      return showSearch(part.entity, part.kind, terminal);
  }
}

function showKind(kind: KindDescription, terminal: Terminal): void {
  terminal.out(`${kind.kind} (${kind.display_name}): ${kind.doc}\n\n`);
  const rows = kind.entities.map(({ name, actions, searchable, doc }) => ({
    entity: name,
    actions: actionNamesOf({ actions, searchable }).join(' '),
    about: doc,
  }));
  showTable(['entity', 'actions', 'about'], rows, terminal);
  terminal.err(`\nMore: patchbay describe --kind ${shortName(kind)} <entity> [action]\n`);
}

function showEntity(entity: EntityDescription, kind: KindDescription, terminal: Terminal): void {
  const { name, doc, actions, record, searchable } = entity;
  terminal.out(`${name}: ${doc}\n`);
  heading('Actions', terminal);
  const actionRows = actions.map((each) => ({
    action: each.name,
    params: each.params.map((param) => (param.required ? param.name : `[${param.name}]`)).join(' '),
    about: each.doc,
  }));
  showTable(['action', 'params', 'about'], actionRows, terminal);
  heading('Record', terminal);
  showTable(['field', 'type', 'about'], record.map(fieldRow), terminal);
  if (searchable.length > 0) showSearchable(searchable, terminal);
  terminal.err(`\nMore: patchbay describe --kind ${shortName(kind)} ${name} <action>\n`);
}

function showAction(
  action: ActionDescription,
  { entity, kind }: { readonly entity: string; readonly kind: KindDescription },
  terminal: Terminal,
): void {
  const { name, doc, params } = action;
  terminal.out(`${entity}.${name}: ${doc}\n`);
  if (params.length > 0) {
    heading('Params', terminal);
    const rows = params.map((param) => ({
      param: param.name,
      required: param.required ? 'yes' : '',
      takes: param.expects,
      about: param.doc,
    }));
    showTable(['param', 'required', 'takes', 'about'], rows, terminal);
  }
  const required = params.filter((param) => param.required);
  const flags = required.map((param) => ` --param ${param.name}=…`).join('');
  terminal.err(`\nCall: patchbay execute ${entity} ${name} --kind ${shortName(kind)}${flags}\n`);
}

function showSearch(
  { name, searchable }: EntityDescription,
  kind: KindDescription,
  terminal: Terminal,
): void {
  terminal.out(
    `${name}.search: Finds records in the service's own copy, by any of these fields.\n`,
  );
  showSearchable(searchable, terminal);
  terminal.err(`\nCall: patchbay search ${name} --kind ${shortName(kind)} --where '…'\n`);
}

function showSearchable(searchable: EntityDescription['searchable'], terminal: Terminal): void {
  heading('Searchable fields', terminal);
  showTable(['field', 'type', 'about'], searchable.map(fieldRow), terminal);
}

function heading(text: string, terminal: Terminal): void {
  terminal.out(`\n${terminal.bold(text)}\n`);
}

function fieldRow({ name, type, doc }: EntityDescription['record'][number]) {
  return { field: name, type, about: doc };
}

function shortName({ kind, aliases }: KindDescription): string {
  return aliases[0] ?? kind;
}

function actionNamesOf({
  actions,
  searchable,
}: Pick<EntityDescription, 'actions' | 'searchable'>): readonly string[] {
  return [...namesOf(actions), ...(searchable.length > 0 ? ['search'] : [])];
}

function namesOf(things: readonly { readonly name: string }[]): readonly string[] {
  return things.map(({ name }) => name);
}
