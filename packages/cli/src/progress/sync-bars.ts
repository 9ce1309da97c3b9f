import type { SyncStatus } from '@patchbay/client';
import { MultiBar, type SingleBar } from 'cli-progress';
import { fitText, padText, textWidth } from '../output/text-width.ts';
import type { Terminal } from '../terminal.ts';
import { progressOf, type EntityProgress } from './entity-progress.ts';

/** What a bar is drawn with. */
interface Brush {
  readonly full: string;
  readonly empty: string;
}

const BLOCKS: Brush = { full: '█', empty: '░' };
const ASCII: Brush = { full: '=', empty: '-' };

const FRAMES_PER_SECOND = 10;
const MAX_BAR = 30;
const MIN_BAR = 5;
/** Room for what stands right of the bar. */
const ROOM_FOR_WORDS = 40;
/** Columns of the piece that moves while nobody knows how much there is. */
const PIECE = 4;

/** A bar for each entity, drawn anew in place as the sync goes on. */
export class SyncBars {
  readonly #terminal: Terminal;
  readonly #brush: Brush;
  readonly #multi: MultiBar;
  readonly #bars = new Map<string, SingleBar>();
  readonly #progress = new Map<string, EntityProgress>();
  #frame = 0;

  constructor(terminal: Terminal, environment: NodeJS.ProcessEnv) {
    this.#terminal = terminal;
    this.#brush = speaksUtf8(environment) ? BLOCKS : ASCII;
    this.#multi = new MultiBar({
      stream: process.stdout,
      fps: FRAMES_PER_SECOND,
      hideCursor: true,
      // Lines are cut to the terminal here; its own wrapping stays as it is.
      linewrap: null,
      // The caller stops the bars when it is interrupted.
      gracefulExit: false,
      format: (_options, _params, payload: { readonly entity: string }) =>
        this.#line(payload.entity),
    });
    this.#multi.on('update-pre', () => this.#frame++);
  }

  show(status: SyncStatus): void {
    for (const each of progressOf(status)) {
      this.#progress.set(each.entity, each);
      if (!this.#bars.has(each.entity))
        this.#bars.set(each.entity, this.#multi.create(1, 0, { entity: each.entity }));
    }
  }

  stop(): void {
    this.#multi.stop();
  }

  #line(entity: string): string {
    const progress = this.#progress.get(entity);
    if (progress === undefined) return '';
    const names = Math.max(0, ...[...this.#progress.keys()].map(textWidth));
    const width = this.#terminal.width();
    const bar = Math.max(MIN_BAR, Math.min(MAX_BAR, width - names - ROOM_FOR_WORDS));
    const line = `${padText(entity, names)}  ${this.#bar(progress.share, bar)}  ${progress.told}`;
    // A line as wide as the terminal would wrap on some.
    return fitText(line, width - 1);
  }

  #bar(share: number | undefined, width: number): string {
    const { full, empty } = this.#brush;
    if (share === undefined) {
      const at = this.#frame % (width - PIECE + 1);
      return empty.repeat(at) + full.repeat(PIECE) + empty.repeat(width - PIECE - at);
    }
    const filled = Math.round(share * width);
    return full.repeat(filled) + empty.repeat(width - filled);
  }
}

function speaksUtf8(environment: NodeJS.ProcessEnv): boolean {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return /utf-?8/i.test(locale);
}
