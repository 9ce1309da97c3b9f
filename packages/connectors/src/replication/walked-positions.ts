import { hash } from 'node:crypto';
import { ConnectorError } from '../errors.ts';
import { FruitlessPages } from '../execution/fruitless-pages.ts';
import type { Entity } from '../vocabulary/index.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A list that is walked. */
interface WalkedList {
  /** Tells lists apart. */
  readonly list: string;
  readonly displayName: string;
  readonly entity: Entity;
}

/** A page of it, just read. */
interface WalkedPage {
  /** Its position, which may be read again, where its records were lost. */
  readonly here: JsonObject;
  /** That of the page after it; `undefined` at the end of the list. */
  readonly next: JsonObject | undefined;
  /** Of its records. */
  readonly keys: readonly string[];
}

/** How far a list has been walked. */
interface Walked {
  /** Digests of the positions read so far, in the order in which they were read. */
  readonly positions: Set<string>;
  readonly fruitless: FruitlessPages;
}

/** Notices a list that leads back to where it has been, or on without end; several may be read at once. */
export class WalkedPositions {
  readonly #walked = new Map<string, Walked>();

  /**
   * @throws `upstream_contract_broken` when `next` was read on the way to `here`, or too many pages in a
   * row have brought no new record.
   */
  check({ list, displayName, entity }: WalkedList, { here, next, keys }: WalkedPage): void {
    if (next === undefined) return void this.#walked.delete(list);
    const walked = this.#walked.get(list) ?? newWalked();
    this.#walked.set(list, walked);
    walked.fruitless.check(keys, { displayName, entity: entity.name });
    const { positions } = walked;
    const position = digestOf(here);
    forgetFrom(positions, position);
    positions.add(position);
    if (!positions.has(digestOf(next))) return;
    throw new ConnectorError(
      'upstream_contract_broken',
      { entity: entity.name, action: 'list' },
      { message: `${displayName} gave the same page cursor twice; the list is incomplete.` },
    );
  }
}

function newWalked(): Walked {
  return { positions: new Set(), fruitless: new FruitlessPages() };
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
