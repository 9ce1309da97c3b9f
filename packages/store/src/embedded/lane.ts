import { connectionNameOf, LANES, type Lane } from '../contract/lane-use.ts';

/** The message that starts a connection: a length, a version, then names and values, each ended by NUL. */
const PARAMETERS_AT = 8;

/** The lane of a connection by its `application_name`; `calls` where that names none. */
export function laneOfStart(message: Buffer): Lane {
  const texts = message.toString('utf8', PARAMETERS_AT).split('\0');
  const index = texts.findIndex((text, at) => at % 2 === 0 && text === 'application_name');
  const name = index === -1 ? undefined : texts[index + 1];
  return LANES.find((lane) => name === connectionNameOf(lane)) ?? 'calls';
}
