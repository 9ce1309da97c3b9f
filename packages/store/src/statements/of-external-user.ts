import { sql, type Expression } from 'kysely';

/** Through the index, which holds hashes; the comparison of the text itself decides. */
export function isOfExternalUser(externalUserId: string): Expression<boolean> {
  return sql<boolean>`(
    hashtextextended(external_user_id, 0) = hashtextextended(${externalUserId}::text collate "C", 0)
    and external_user_id = ${externalUserId}
  )`;
}
