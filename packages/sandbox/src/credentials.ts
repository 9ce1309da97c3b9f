/** The message with which a token in a vendor's real format is refused. */
export const NO_REAL_CREDENTIALS = 'this is the sandbox, do not give it real credentials';

/** The token in a Bearer Authorization header; undefined for no header or another scheme. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}
