import { parseDatabaseUrl } from './server-connection.ts';

/**
 * What a database URL names, in words that hold no password; the parts that it leaves out are those of the environment.
 *
 * @throws `database_url_invalid`.
 */
export function describeDatabase(databaseUrl: string): string {
  return parseDatabaseUrl(databaseUrl).description;
}
