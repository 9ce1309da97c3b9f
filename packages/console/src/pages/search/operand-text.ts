import type { PlainOperator } from './filter-tree.ts';

const TEXT_OPERATORS: ReadonlySet<PlainOperator> = new Set(['like', 'keyword', 'fuzzy']);

/** How what is compared with is typed: as text where only texts make sense, else as JSON where it is any. */
type Reading = 'text' | 'any';

/** An operand as a form shows it; `operandOf` of it is the same again. */
export function textOfOperand(
  value: unknown,
  operator: PlainOperator,
  type: string | undefined,
): string {
  const reading = readingOf(operator, type);
  if (operator !== 'in' || !Array.isArray(value)) return textOfOne(value, reading);
  const texts = value.map((each) => textOfOne(each, reading));
  const arePlain = texts.every(
    (text) => text.trim() === text && text !== '' && !/^\[|,/.test(text),
  );
  return arePlain && !value.includes(null) ? texts.join(', ') : JSON.stringify(value);
}

/** What somebody typed, as it is sent. Where it fits the field is for the service to judge. */
export function operandOf(
  text: string,
  operator: PlainOperator,
  type: string | undefined,
): unknown {
  const reading = readingOf(operator, type);
  if (operator !== 'in') return oneOf(text, reading);
  if (text.trim() === '') return [];
  const array = text.trimStart().startsWith('[') ? parsed(text) : undefined;
  if (Array.isArray(array)) return array;
  return text.split(',').map((each) => oneOf(each.trim(), reading));
}

function readingOf(operator: PlainOperator, type: string | undefined): Reading {
  return type === 'string' || TEXT_OPERATORS.has(operator) ? 'text' : 'any';
}

function textOfOne(value: unknown, reading: Reading): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  // A text that would be read as something else stands in quotes.
  return reading === 'text' || parsed(value) === undefined ? value : JSON.stringify(value);
}

function oneOf(text: string, reading: Reading): unknown {
  return reading === 'text' ? text : (parsed(text) ?? text);
}

/** `undefined` for what is no JSON, and for null, which operators of their own stand for. */
function parsed(text: string): unknown {
  try {
    return (JSON.parse(text) as unknown) ?? undefined;
  } catch {
    return undefined;
  }
}
