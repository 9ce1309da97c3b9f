import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** A field as the service reference writes it. */
export interface ReferenceField {
  readonly name: string;
  readonly type: string;
  readonly items?: readonly ReferenceField[];
}

/** A param as the service reference writes it. */
export interface ReferenceParam {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

/** A row of the table of operations. */
export interface ReferenceOperation {
  readonly entity: string;
  readonly action: string;
  /** Absent for search, whose params the reference gives elsewhere. */
  readonly params: readonly ReferenceParam[] | undefined;
  readonly meta: readonly ReferenceField[];
}

/** The transcribed lines of the service reference, by the part they stand in. */
export function readReference(file: URL): ReadonlyMap<string, readonly string[]> {
  const parts = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const heading = /^## part (.+)$/.exec(line)?.[1];
    if (heading !== undefined) parts.set(heading, (lines = []));
    else if (line !== '') lines.push(line);
  }
  return parts;
}

/** The cells of Markdown table rows, without heading and ruler. */
export function parseTable(lines: readonly string[]): readonly (readonly string[])[] {
  const rows = lines
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
  const ruler = rows.findIndex((cells) => cells.every((cell) => /^-+$/.test(cell)));
  return rows.slice(ruler + 1);
}

/** Record fields by entity, from the lines of parts 2.2 to 2.4. */
export function parseRecords(
  lines: readonly string[],
): ReadonlyMap<string, readonly ReferenceField[]> {
  const records = new Map<string, readonly ReferenceField[]>();
  for (const line of lines) {
    const { names, text } = splitRecordLine(line);
    const [common = '', addition] = text.split('. Thread records additionally carry ');
    const fields = parseFields(common, ';');
    for (const name of names) {
      const hasAddition = addition !== undefined && name === 'threads';
      records.set(name, hasAddition ? withAddition(fields, addition) : fields);
    }
  }
  return records;
}

/** The Meta fields that a line of parts 2.3 and 2.4 ends with, by entity; none where it has none. */
export function parseRecordMeta(
  lines: readonly string[],
): ReadonlyMap<string, readonly ReferenceField[]> {
  return new Map(
    lines.map(splitRecordLine).flatMap(({ names, meta }) => {
      return names.map((name) => [name, parseFields(meta, ',')] as const);
    }),
  );
}

/** Fields as part 2 of the transcribed reference writes them, for example `id string; tz_offset integer?`. */
export function parseFields(text: string, separator: ';' | ','): readonly ReferenceField[] {
  return withOwnTypes(splitOutside(text, separator)).map((part) => {
    const match = FIELD.exec(part);
    assert.ok(match, `"${part}" is no field`);
    const [, name = '', type = '', items] = match;
    return { name, type, ...(items === undefined ? {} : { items: parseFields(items, ',') }) };
  });
}

/** The rows of its part 4.4. */
export function parseOperations(lines: readonly string[]): readonly ReferenceOperation[] {
  return parseTable(lines).map(([entity = '', action = '', params = '', result = '']) => ({
    entity,
    action,
    params: params === 'see 4.3' ? undefined : parseParams(params),
    meta: parseFields(/; Meta (.*)$/.exec(result)?.[1] ?? '', ','),
  }));
}

const FIELD =
  /^(\w+) (string \| integer \| null|(?:string|integer|number|boolean|object|array<integer>|array)\??|obj\*)(?: with items \{(.*)\})?(?: \([^()]*\))?$/;
const PARAM = /^(\w+) (string|integer|boolean)( req)?(?: \(.*\))?$/;

/** `**chats** (list, get): id string. Meta of list: count integer.` */
function splitRecordLine(line: string): {
  readonly names: readonly string[];
  readonly text: string;
  readonly meta: string;
} {
  const colon = line.indexOf(': ');
  const [text = '', meta = ''] = line
    .slice(colon + 2)
    .replace(/\.$/, '')
    .split(/\. (?:Meta|Meta of list|List meta): /);
  const names = line.slice(0, colon).matchAll(/\*\*(\w+)\*\*/g);
  return { names: [...names].map(([, name = '']) => name), text, meta };
}

/** `type, name (all string?), rating string?`: the first two get the type that they share. */
function withOwnTypes(parts: readonly string[]): readonly string[] {
  let shared = '';
  const typed = parts.toReversed().map((part) => {
    const [, last, type] = /^(\w+) \(all ([^()]+)\)$/.exec(part) ?? [];
    shared = type ?? shared;
    return /^\w+$/.test(last ?? part) ? `${last ?? part} ${shared}` : part;
  });
  return typed.toReversed();
}

function parseParams(text: string): readonly ReferenceParam[] {
  if (text === 'none') return [];
  return splitOutside(text, ';').map((part) => {
    const match = PARAM.exec(part);
    assert.ok(match, `"${part}" is no param`);
    const [, name = '', type = '', required] = match;
    return { name, type, required: required !== undefined };
  });
}

/** `parent_user_id string? (after thread_ts)`. */
function withAddition(
  fields: readonly ReferenceField[],
  addition: string,
): readonly ReferenceField[] {
  const match = /^(.*) \(after (\w+)\)$/.exec(addition);
  assert.ok(match, `"${addition}" does not say where it goes`);
  const at = fields.findIndex(({ name }) => name === match[2]);
  assert.notEqual(at, -1);
  return fields.toSpliced(at + 1, 0, ...parseFields(match[1] ?? '', ';'));
}

/** Splits at a separator that stands outside every brace and parenthesis. */
function splitOutside(text: string, separator: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if ('{('.includes(character)) depth++;
    if ('})'.includes(character)) depth--;
    if (character === separator && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
