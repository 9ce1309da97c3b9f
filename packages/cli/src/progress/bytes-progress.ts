import { basename } from 'node:path';
import type { Download } from '@patchbay/client';
import { printable } from '../output/printable.ts';
import { fitText } from '../output/text-width.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText } from './bytes-text.ts';

/** What is over sooner is not worth a line. */
const SHOWN_AFTER_MS = 1_000;
const REDRAWN_EVERY_MS = 250;

/** The cursor to the first column, and everything right of it away. */
const CLEAR = '\r\u001b[K';

/**
 * The bytes of a file; while they come, a person sees how many there are, of how many, and how fast.
 * Nothing of that is left when they have come, or have been given up.
 */
export function showBytesProgress(
  { bytes, sizeBytes }: Pick<Download, 'bytes' | 'sizeBytes'>,
  path: string | undefined,
  terminal: Terminal,
): AsyncIterable<Uint8Array> {
  // Bytes that go to the same screen are no place for it.
  if (!terminal.canRedrawErr || (path === undefined && terminal.isInteractive)) return bytes;
  return watched(bytes, {
    name: path === undefined ? 'download' : basename(path),
    sizeBytes,
    terminal,
  });
}

interface Watch {
  readonly name: string;
  readonly sizeBytes: number | null;
  readonly terminal: Terminal;
}

async function* watched(
  bytes: AsyncIterable<Uint8Array>,
  watch: Watch,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { terminal } = watch;
  const startedAt = performance.now();
  const state = { received: 0, isShown: false };
  const draw = () => {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs < SHOWN_AFTER_MS) return;
    state.isShown = true;
    const line = progressLine({ received: state.received, elapsedMs, ...watch });
    // A line as wide as the terminal would wrap on some.
    terminal.err(CLEAR + fitText(line, terminal.errWidth() - 1));
  };
  const timer = setInterval(draw, REDRAWN_EVERY_MS);
  try {
    for await (const chunk of bytes) {
      state.received += chunk.length;
      yield chunk;
    }
  } finally {
    clearInterval(timer);
    if (state.isShown) terminal.err(CLEAR);
  }
}

/** Such as `photo.png: 1.2 MiB of 3.4 MiB, 512 KiB/s`. */
function progressLine({
  name,
  received,
  sizeBytes,
  elapsedMs,
}: {
  readonly name: string;
  readonly received: number;
  /** `null` where nobody knows. */
  readonly sizeBytes: number | null;
  readonly elapsedMs: number;
}): string {
  const total = sizeBytes === null ? '' : ` of ${bytesText(sizeBytes)}`;
  const rate = bytesText((received * 1_000) / Math.max(1, elapsedMs));
  return `${printable(name)}: ${bytesText(received)}${total}, ${rate}/s`;
}
