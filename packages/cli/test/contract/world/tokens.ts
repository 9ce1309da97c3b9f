import { SURFACES } from '../call.ts';

/** One upstream for every surface, and one that they share. */
export const PLACES = [...SURFACES, 'shared'] as const;

export type Place = (typeof PLACES)[number];

/** A token for the upstream of a place, or one that it refuses. */
export function tokenOf(place: Place, isRejected = false): string {
  return `${isRejected ? 'revoked-' : ''}token-${place}`;
}

/** The place whose token an Authorization header has. */
export function placeOf(authorization: string): Place {
  const name = authorization.split('-').at(-1);
  const place = PLACES.find((each) => each === name);
  if (place === undefined) throw new Error('the token is of no place');
  return place;
}
