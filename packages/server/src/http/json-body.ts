import { isUtf8 } from 'node:buffer';
import { ConnectorError } from '@patchbay/connectors';
import { isJsonObject } from '@patchbay/connectors/engine';
import { Rounds, TimeSlices } from '@patchbay/store';

/** Bodies nest at most this deep; an object of scalars is 1 deep. */
export const MAX_DEPTH = 64;
/** Values that a body has, members and elements at every depth: handling each costs more than its bytes. */
export const MAX_VALUES = 20_000;
/** Those of a call without a token, which has few to say: thousands of them may be parsed before anybody else's turn, and wait. */
export const MAX_VALUES_OF_STRANGER = 1_000;

/** A parsed body: a JSON object, or `undefined` where none was sent. */
export type JsonBody = Readonly<Record<string, unknown>> | undefined;

/**
 * Parses the bytes of a request body.
 *
 * @throws `malformed_json` for anything but a JSON object in UTF-8 without a byte order mark; the
 * message quotes nothing of the body, since that may hold credentials; `body_too_large` for one of too many values.
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-8.1 (senders must not add a byte order mark)
 */
function parseJsonBody(bytes: Buffer, mostValues: number): JsonBody {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw malformed('it is not valid UTF-8');
  const text = bytes.toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) throw malformed('it begins with a byte order mark');
  checkSize(text, mostValues);
  const value = parse(text);
  if (!isJsonObject(value)) throw malformed('it is JSON, but not an object');
  return value;
}

/** Larger ones are parsed in slices of time: many that come at once would keep the event loop from everybody else. */
export const LARGE_BYTES = 32_768;

/** Not those of searches, which would wait behind the bodies of whoever may send one. */
const ROUNDS = new Rounds();

/** The same, of a large body when nobody else waits for the event loop. */
export async function readJsonBody(bytes: Buffer, mostValues: number): Promise<JsonBody> {
  if (bytes.length <= LARGE_BYTES) return parseJsonBody(bytes, mostValues);
  return await new TimeSlices(undefined, ROUNDS).once(() => parseJsonBody(bytes, mostValues));
}

/** The error for a body that is missing or no JSON object. */
export function malformed(problem: string): ConnectorError<'malformed_json'> {
  return new ConnectorError(
    'malformed_json',
    {},
    { message: `The body must be a JSON object: ${problem}.` },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Only the position of V8's message: the rest of it quotes the body.
    const position = /at position (\d+)/.exec(error.message)?.[1];
    throw malformed(
      position === undefined ? 'it is not JSON' : `it is not JSON at character ${position}`,
    );
  }
}

/** Before anything is made of the text. @throws `malformed_json`, `body_too_large` */
function checkSize(text: string, mostValues: number): void {
  if (text.length <= 2 * MAX_DEPTH) return;
  let depth = 0;
  // An opening bracket begins a first one, and a comma another.
  let values = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (isInString) {
      if (character === BACKSLASH) index++;
      else if (character === QUOTE) isInString = false;
    } else if (character === QUOTE) isInString = true;
    else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth--;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET || character === COMMA) {
      if (++values > mostValues) throw tooManyValues(mostValues);
      if (character !== COMMA && ++depth > MAX_DEPTH)
        throw malformed(`it nests deeper than ${MAX_DEPTH} levels`);
    }
  }
}

function tooManyValues(most: number): ConnectorError<'body_too_large'> {
  return new ConnectorError(
    'body_too_large',
    {},
    {
      message: `The body has more than ${most.toLocaleString('en')} values, members and elements at every depth.`,
    },
  );
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
