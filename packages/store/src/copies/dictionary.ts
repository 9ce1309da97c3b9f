import { editAllowance, wordQuality } from '@patchbay/connectors/engine';
import { sql } from 'kysely';
import { SCHEMA, type Database } from '../database.ts';
import { plainArray, textArray } from './array-literal.ts';
import type { CopyId } from '../contract/copies.ts';
import { letterBits, queryKeys, wordKeys } from './fuzzy-keys.ts';
import { textLanes, type Lanes } from './hashes.ts';
import type { OpenCopy } from './open-copy.ts';
import { planned } from './planned.ts';

/** The most words that go out in one statement. */
const MAX_WORDS_AT_ONCE = 5_000;

/** Adds the words that the dictionary of a copy lacks. */
export async function addWords(copy: OpenCopy, words: Iterable<string>): Promise<void> {
  const { database, knownWords } = copy;
  // In one order everywhere, so that two processes wait for each other rather than block each other.
  const unknown = knownWords.unknownOf(idOf(copy), words).toSorted();
  for (let start = 0; start < unknown.length; start += MAX_WORDS_AT_ONCE) {
    const some = unknown.slice(start, start + MAX_WORDS_AT_ONCE);
    const added = await insertWords(copy, some);
    knownWords.remember(database, idOf(copy), { words: some, added });
  }
}

/** Adds the words that are missing, and returns those. */
async function insertWords(copy: OpenCopy, words: readonly string[]): Promise<ReadonlySet<string>> {
  const { database, connectorId, entity } = copy;
  const missing = await findMissing(copy, words);
  if (missing.length === 0) return new Set();
  const place = placeOf(copy);
  const keys = missing.map((word) => plainArray(wordKeys(place, word)));
  await sql`
    insert into ${sql.id(SCHEMA, 'copy_words')} (connector_id, entity, word, letters, keys)
    select ${connectorId}::uuid, ${entity}, i.word, i.letters, i.keys::integer[]
    from unnest(
      ${textArray(missing)}::text[],
      ${plainArray(missing.map(letterBits))}::integer[],
      ${textArray(keys)}::text[]
    ) as i(word, letters, keys)
    on conflict do nothing
  `.execute(database);
  return new Set(missing);
}

async function findMissing(
  { database, connectorId, entity }: OpenCopy,
  words: readonly string[],
): Promise<readonly string[]> {
  // One by one: a join might read the whole dictionary.
  const { rows } = await sql<{ word: string }>`
    select i.word from unnest(${textArray(words)}::text[]) as i(word)
    where (
      select true from ${sql.id(SCHEMA, 'copy_words')} w
      where w.connector_id = ${connectorId}::uuid and w.entity = ${entity}
        and w.word = i.word collate "C"
    ) is null
  `.execute(database);
  return rows.map(({ word }) => word);
}

/** A word of letters alone that a word of a query fits, and how well. */
export interface SimilarWord {
  readonly word: string;
  readonly quality: number;
}

/** For each of a query's words, the words of a copy within its edit distance, but for itself. */
export async function findSimilarWords(
  copy: OpenCopy,
  queryWords: Iterable<string>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly SimilarWord[]>> {
  const edited = Array.from(queryWords).filter((word) => editAllowance(word) > 0);
  if (edited.length === 0) return new Map();
  return await planned(copy.database, 'gather', async (transaction) => {
    const similar = new Map<string, readonly SimilarWord[]>();
    for (const word of edited) {
      signal?.throwIfAborted();
      similar.set(word, await findSimilarTo(transaction, copy, word));
    }
    return similar;
  });
}

async function findSimilarTo(
  transaction: Database,
  { connectorId, entity }: CopyId,
  queryWord: string,
): Promise<readonly SimilarWord[]> {
  const edits = editAllowance(queryWord);
  if (edits === 0) return [];
  const keys = queryKeys(placeOf({ connectorId, entity }), queryWord, edits);
  const { rows } = await sql<{ word: string }>`
    select word from ${sql.id(SCHEMA, 'copy_words')}
    where keys && ${plainArray(keys)}::integer[]
      -- Not by the primary key, which would be by all words of the copy.
      and connector_id is not distinct from ${connectorId}::uuid
      and entity is not distinct from ${entity}
      and bit_count((letters # ${letterBits(queryWord)}::integer)::bit(32)) <= ${2 * edits}
  `.execute(transaction);
  return rows
    .map(({ word }) => ({ word, quality: wordQuality(queryWord, word) }))
    .filter(({ quality }) => quality > 0 && quality < 1);
}

function placeOf({ connectorId, entity }: Pick<CopyId, 'connectorId' | 'entity'>): Lanes {
  return textLanes(`${connectorId.toLowerCase()} ${entity}`);
}

function idOf({ connectorId, entity }: CopyId): string {
  return `${connectorId.toLowerCase()} ${entity}`;
}
