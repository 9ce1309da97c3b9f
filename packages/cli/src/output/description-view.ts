import {
  describedAction,
  describedEntity,
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
      /** Of a search with the fields that it can be about. */
      readonly value: ActionDescription & Partial<Pick<EntityDescription, 'searchable'>>;
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
  const entity = describedEntity(kind, path.entity);
  if (path.action === undefined) return { type: 'entity', value: entity, kind };
  const action = describedAction(entity, path.action);
  if (action.hosted_only !== true) return { type: 'action', value: action, entity, kind };
  const { searchable } = entity;
  return { type: 'action', value: { ...action, searchable }, entity, kind };
}

/** Shows a description to a person. */
export function showDescription(part: DescribedPart, terminal: Terminal): void {
  switch (part.type) {
    case 'kind':
      return showKind(part.value, terminal);
    case 'entity':
      return showEntity(part.value, part.kind, terminal);
    case 'action':
      return showAction(part, terminal);
  }
}

function showKind(kind: KindDescription, terminal: Terminal): void {
  terminal.out(`${kind.kind} (${kind.display_name}): ${kind.doc}\n\n`);
  const rows = kind.entities.map(({ name, actions, doc }) => ({
    entity: name,
    actions: actions.map((action) => action.name).join(' '),
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
  { value, entity, kind }: Extract<DescribedPart, { type: 'action' }>,
  terminal: Terminal,
): void {
  const { name, doc, params, searchable } = value;
  terminal.out(`${entity.name}.${name}: ${doc}\n`);
  if (searchable !== undefined) {
    showSearchable(searchable, terminal);
    terminal.err(`\nCall: patchbay search ${entity.name} --kind ${shortName(kind)} --where '…'\n`);
    return;
  }
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
  terminal.err(
    `\nCall: patchbay execute ${entity.name} ${name} --kind ${shortName(kind)}${flags}\n`,
  );
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
