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

type Encoding = NonNullable<EncodedText['encoding']>;
type Encoders = Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>>;

const ENCODERS: Encoders = {
  br: (bytes) => promisify(brotliCompress)(bytes, QUALITY),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/**
 * A text that is the same for everybody. It is compressed when it is first asked for in that way, off
 * the main thread, and all answers share its bytes.
 */
export class SharedText {
  readonly #bytes: Buffer;
  #tag: string | undefined;
  readonly #encoders: Encoders;
  readonly #encoded = new Map<string, Promise<EncodedText>>();

  constructor(text: string, encoders = ENCODERS) {
    this.#bytes = Buffer.from(text);
    this.#encoders = encoders;
  }

  get tag(): string {
    return (this.#tag ??= entityTag(this.#bytes));
  }

  /** @param accepted The header `Accept-Encoding`. */
  encodedFor(accepted: string | undefined): Promise<EncodedText> {
    const encoding = this.#bytes.length < WORTH_BYTES ? undefined : encodingOf(accepted);
    const key = encoding ?? '';
    const known = this.#encoded.get(key);
    if (known !== undefined) return known;
    const encoded = this.#encode(encoding);
    this.#encoded.set(key, encoded);
    // Where memory is short, say: it may not be the next time.
    encoded.catch(() => this.#encoded.delete(key));
    return encoded;
  }

  async #encode(encoding: Encoding | undefined): Promise<EncodedText> {
    if (encoding === undefined) return { bytes: this.#bytes };
    return { bytes: await this.#encoders[encoding](this.#bytes), encoding };
  }
}

/** The better one of those that a client takes; it takes none that it does not name. */
function encodingOf(accepted = ''): Encoding | undefined {
  const taken = accepted
    .toLowerCase()
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .filter(([, weight = '']) => !/^q=0(?:\.0*)?$/.test(weight))
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((each) => taken.includes(each));
}
