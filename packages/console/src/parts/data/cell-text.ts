/** Longer texts are cut in tables: nobody reads them there, and they take time to lay out. */
const MOST_CHARACTERS = 200;

/** A value as a cell of a table shows it: texts as they are, everything else as JSON, on one line. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value.slice(0, MOST_CHARACTERS + 1) : shortJson(value);
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
}

/** Of large objects and arrays only the beginning is written at all. */
function shortJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isArray = Array.isArray(value);
  const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
  let text = open;
  for (const [name, member] of Object.entries(value)) {
    if (text.length > MOST_CHARACTERS) return text;
    if (text.length > 1) text += ',';
    text += isArray ? inside(member) : `${JSON.stringify(name)}:${inside(member)}`;
  }
  return text + close;
}

function inside(member: unknown): string {
  if (typeof member === 'string') return JSON.stringify(member.slice(0, MOST_CHARACTERS));
  return shortJson(member);
}
