import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { entityTag } from './entity-tag.ts';

/** A text as it goes out. */
export interface EncodedText {
  readonly bytes: Buffer;
  /** Absent where it goes out as it is. */
  readonly encoding?: 'br' | 'gzip';
}

/** Less than that fits one packet or two anyway. */
const WORTH_BYTES = 1_024;
/** Higher ones take ten times as long for a twentieth less. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/**
 * A text that is the same for everybody. It is compressed when it is first asked for in that way, off
 * the main thread, and all answers share its bytes.
 */
export class SharedText {
  readonly #bytes: Buffer;
  #tag: string | undefined;
  readonly #encoded = new Map<string, Promise<EncodedText>>();

  constructor(text: string) {
    this.#bytes = Buffer.from(text);
  }

  get tag(): string {
    return (this.#tag ??= entityTag(this.#bytes));
  }

  /** @param accepted The header `Accept-Encoding`. */
  encodedFor(accepted: string | undefined): Promise<EncodedText> {
    const encoding = this.#bytes.length < WORTH_BYTES ? undefined : encodingOf(accepted);
    const key = encoding ?? '';
    const encoded = this.#encoded.get(key) ?? this.#encode(encoding);
    this.#encoded.set(key, encoded);
    return encoded;
  }

  async #encode(encoding: EncodedText['encoding']): Promise<EncodedText> {
    if (encoding === undefined) return { bytes: this.#bytes };
    const bytes = await (encoding === 'br'
      ? promisify(brotliCompress)(this.#bytes, QUALITY)
      : promisify(gzip)(this.#bytes));
    return { bytes, encoding };
  }
}

/** The better one of those that a client takes; it takes none that it does not name. */
function encodingOf(accepted = ''): EncodedText['encoding'] {
  const taken = accepted
    .toLowerCase()
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .filter(([, weight = '']) => !/^q=0(?:\.0*)?$/.test(weight))
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((each) => taken.includes(each));
}
