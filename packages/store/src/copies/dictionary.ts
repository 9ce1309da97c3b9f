import { editAllowance, letterBits, wordQuality, type Steps } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import { ofConnector } from './of-connector.ts';
import { SCHEMA } from '../database.ts';
import { plainArray, textArray } from './array-literal.ts';
import type { CopyId } from '../contract/copies.ts';
import { queryKeys, wordKeys } from './fuzzy-keys.ts';
import { textLanes, type HashLanes } from './hashes.ts';
import type { OpenCopy } from './open-copy.ts';
import { isOwner, OWNER } from './owner.ts';
import { planned } from './planned.ts';
import { TimeSlices } from '../time-slices.ts';

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
  const dictionary = dictionaryHash(copy);
  const keys = await new TimeSlices().finish(keysOf(dictionary, missing));
  await sql`
    insert into ${sql.id(SCHEMA, 'copy_words')} (connector_id, entity, word, letters, keys)
    select owner.connector_id, ${entity}, i.word, i.letters, i.keys::integer[]
    from ${OWNER} cross join unnest(
      ${textArray(missing)}::text[],
      ${plainArray(missing.map(letterBits))}::integer[],
      ${textArray(keys)}::text[]
    ) as i(word, letters, keys)
    where ${isOwner(connectorId)}
    on conflict do nothing
  `.execute(database);
  return new Set(missing);
}

/** The keys of each word, as array literals. */
function* keysOf(dictionary: HashLanes, words: readonly string[]): Steps<readonly string[]> {
  const keys: string[] = [];
  for (const word of words) {
    keys.push(plainArray(wordKeys(dictionary, word)));
    yield;
  }
  return keys;
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

/** Words that a word of a query fits; `many` where nobody can look for all of them. */
export type SimilarWords = readonly SimilarWord[] | 'many';

/** Of all of a query's words together so many are looked at, and of each so many. */
const MOST_ALIKE = 64_000;
const MOST_ALIKE_OF_ONE = 10_000;
const LEAST_ALIKE_OF_ONE = 1_000;

/** For each of a query's words, the words of a copy within its edit distance, itself included. */
export async function findSimilarWords(
  copy: OpenCopy,
  queryWords: Iterable<string>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, SimilarWords>> {
  const asked = Array.from(queryWords).flatMap((word): readonly AskedWord[] => {
    const edits = editAllowance(word);
    return edits === 0 ? [] : [{ word, edits }];
  });
  const similar = new Map(asked.map(({ word }): [string, SimilarWord[]] => [word, []]));
  if (asked.length === 0) return similar;
  signal?.throwIfAborted();
  const most = mostAlike(asked.length);
  const { rows } = await planned(copy, 'gather', alikeSql(copy, asked, most + 1));
  await new TimeSlices(signal).finish(judgeAlike(rows, similar));
  const alike = Map.groupBy(rows, ({ queryWord }) => queryWord);
  return new Map(
    Array.from(similar, ([word, words]) => [
      word,
      (alike.get(word)?.length ?? 0) > most ? 'many' : words,
    ]),
  );
}

function mostAlike(asked: number): number {
  return Math.max(LEAST_ALIKE_OF_ONE, Math.min(Math.floor(MOST_ALIKE / asked), MOST_ALIKE_OF_ONE));
}

interface AskedWord {
  readonly word: string;
  readonly edits: 1 | 2;
}

interface AlikeWords {
  readonly queryWord: string;
  readonly word: string;
}

/** Adds those words that do fit. */
function* judgeAlike(
  rows: readonly AlikeWords[],
  similar: ReadonlyMap<string, SimilarWord[]>,
): Steps<void> {
  for (const [index, { queryWord, word }] of rows.entries()) {
    const quality = wordQuality(queryWord, word);
    if (quality > 0) similar.get(queryWord)?.push({ word, quality });
    if (index % WORDS_A_STEP === 0) yield;
  }
}

/** So many words are compared between two steps. */
const WORDS_A_STEP = 500;

/** Words of the dictionary that share a key with one of a query's and have nearly its letters; of each so many at most. */
function alikeSql(
  copy: Pick<OpenCopy, 'connectorId' | 'entity' | 'isDistributed'>,
  asked: readonly AskedWord[],
  most: number,
): RawBuilder<AlikeWords> {
  const { entity } = copy;
  const dictionary = dictionaryHash(copy);
  return sql<AlikeWords>`
    select q.word as "queryWord", w.word
    from unnest(
      ${textArray(asked.map(({ word }) => word))}::text[],
      ${textArray(asked.map(({ word, edits }) => plainArray(queryKeys(dictionary, word, edits))))}::text[],
      ${plainArray(asked.map(({ word }) => letterBits(word)))}::integer[],
      ${plainArray(asked.map(({ edits }) => edits))}::integer[]
    ) as q(word, keys, letters, edits)
    cross join lateral (
      select word from ${sql.id(SCHEMA, 'copy_words')} as d
      where d.keys && q.keys::integer[]
        -- Not by the primary key, which would be by all words of the copy.
        and ${ofConnector(copy, 'd.')}
        and d.entity is not distinct from ${entity}
        and bit_count((d.letters # q.letters)::bit(32)) <= 2 * q.edits
      limit ${most}
    ) as w
  `;
}

function dictionaryHash({
  connectorId,
  entity,
}: Pick<CopyId, 'connectorId' | 'entity'>): HashLanes {
  return textLanes(`${connectorId.toLowerCase()} ${entity}`);
}

function idOf({ connectorId, entity, copyNumber }: OpenCopy): string {
  return `${connectorId.toLowerCase()} ${entity} ${copyNumber}`;
}
