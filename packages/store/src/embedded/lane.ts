/** Who uses the database, the ones who wait least first. */
export const LANES = ['control', 'calls', 'searches', 'scans', 'replication'] as const;

export type Lane = (typeof LANES)[number];

/** How the names of our connections begin; the lane follows. */
const NAME_PREFIX = 'patchbay ';

/** The message that starts a connection: a length, a version, then names and values, each ended by NUL. */
const PARAMETERS_AT = 8;

/** The lane of a connection by its `application_name`; `calls` where that names none. */
export function laneOfStart(message: Buffer): Lane {
  const texts = message.toString('utf8', PARAMETERS_AT).split('\0');
  const index = texts.findIndex((text, at) => at % 2 === 0 && text === 'application_name');
  const name = index === -1 ? undefined : texts[index + 1];
  return LANES.find((lane) => name === `${NAME_PREFIX}${lane}`) ?? 'calls';
}
