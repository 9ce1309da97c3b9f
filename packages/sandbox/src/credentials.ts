/** What whoever points a real configuration at the sandbox is told. */
export const NO_REAL_CREDENTIALS = 'this is the sandbox, do not give it real credentials';

/** Promises the token of an Authorization header, if it is a Bearer one. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}
