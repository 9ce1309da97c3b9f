import { hash } from 'node:crypto';
import { ConnectorError } from '../errors.ts';
import type { Entity } from '../vocabulary/index.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A list that is walked. */
interface WalkedList {
  /** Tells lists apart. */
  readonly list: string;
  readonly displayName: string;
  readonly entity: Entity;
}

/** Notices a list that leads back to where it has been; several may be read at once. */
export class WalkedPositions {
  /** Digests of the positions read so far by list, in the order in which they were read. */
  readonly #walked = new Map<string, Set<string>>();

  /**
   * @param here The position just read; it may be read again, where its records were lost.
   * @throws `upstream_contract_broken` when `next` was read on the way to it.
   */
  check(
    { list, displayName, entity }: WalkedList,
    here: JsonObject,
    next: JsonObject | undefined,
  ): void {
    if (next === undefined) return void this.#walked.delete(list);
    const walked = this.#walked.get(list) ?? new Set();
    this.#walked.set(list, walked);
    const position = digestOf(here);
    forgetFrom(walked, position);
    walked.add(position);
    if (!walked.has(digestOf(next))) return;
    throw new ConnectorError(
      'upstream_contract_broken',
      { entity: entity.name, action: 'list' },
      { message: `${displayName} gave the same page cursor twice; the list is incomplete.` },
    );
  }
}

/** A list may have a million positions, and an upstream decides how long each is. */
function digestOf(position: JsonObject): string {
  return hash('sha256', JSON.stringify(position), 'base64');
}

function forgetFrom(walked: Set<string>, position: string): void {
  if (!walked.has(position)) return;
  let isAfter = false;
  for (const each of walked) {
    isAfter ||= each === position;
    if (isAfter) walked.delete(each);
  }
}
