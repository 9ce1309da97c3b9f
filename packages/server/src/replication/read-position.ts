import { isJsonObject } from '@patchbay/connectors/engine';

/** Where the read of an entity goes on: what is stored along with the records, as JSON. */
export interface ReadPosition {
  /** Key of the last parent whose list has been read to its end; null before that, or without parents. */
  readonly after: string | null;
  /** Key of the parent whose list is being read; null between two lists, or without parents. */
  readonly parent: string | null;
  /** Where that list goes on; null at its beginning. */
  readonly list: unknown;
  /** A single list has been read to its end; all that is left is to say so. */
  readonly isAtEnd: boolean;
  /** Some list could be read, some were refused: an entity of which all are refused is forbidden. */
  readonly hasRead: boolean;
  readonly hasRefused: boolean;
  /** How many lists were forbidden as a whole entity would be, before any was read. */
  readonly forbidden: number;
  /** Values of the last parent whose list could be read. */
  readonly readable: Readonly<Record<string, unknown>> | null;
  /** Since that list others were refused, and none was read: the credentials may read none any more, perhaps. */
  readonly isInDoubt: boolean;
  /** Values of the parents of lists that have been refused since, of which the copy has something. */
  readonly refused: readonly Readonly<Record<string, unknown>>[];
  /** Keys of parents whose lists are to be read from end to end, whatever the copy has of them by now. */
  readonly whole: readonly string[];
  /**
   * When the last page of a single list had come, by the database's clock, of which the end is left: what the upstream
   * still hid then. Null before that.
   */
  readonly hiddenAt: string | null;
}

export const BEGINNING: ReadPosition = {
  after: null,
  parent: null,
  list: null,
  isAtEnd: false,
  hasRead: false,
  hasRefused: false,
  forbidden: 0,
  readable: null,
  isInDoubt: false,
  refused: [],
  whole: [],
  hiddenAt: null,
};

/** A stored position; what is none of this version's is the beginning, where nothing is lost. */
export function parsePosition(stored: unknown): ReadPosition {
  if (!isJsonObject(stored)) return BEGINNING;
  const { after = null, parent = null, list = null, isAtEnd, hasRead, hasRefused } = stored;
  const { forbidden, readable, isInDoubt, refused, whole, hiddenAt } = stored;
  if (!isTextOrNull(after) || !isTextOrNull(parent)) return BEGINNING;
  return {
    after,
    parent,
    list,
    isAtEnd: isAtEnd === true,
    hasRead: hasRead === true,
    hasRefused: hasRefused === true,
    forbidden: typeof forbidden === 'number' ? forbidden : 0,
    readable: isJsonObject(readable) ? readable : null,
    isInDoubt: isInDoubt === true,
    refused: Array.isArray(refused) ? refused.filter(isJsonObject) : [],
    whole: Array.isArray(whole) ? whole.filter((key) => typeof key === 'string') : [],
    hiddenAt: typeof hiddenAt === 'string' && !Number.isNaN(Date.parse(hiddenAt)) ? hiddenAt : null,
  };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
