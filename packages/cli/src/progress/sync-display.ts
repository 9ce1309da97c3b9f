import type { SyncStatus } from '@patchbay/client';
import type { Terminal } from '../terminal.ts';
import { progressOf } from './entity-progress.ts';
import { SyncBars } from './sync-bars.ts';

/** What shows a sync while it goes on. */
export interface SyncDisplay {
  show(status: SyncStatus): void;
  /** Leaves the last state standing. */
  stop(): void;
}

/** Bars where lines can be drawn anew and there is room for all of them; else lines, one a change. */
export function makeSyncDisplay(
  entities: number,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): SyncDisplay {
  // One line stays free below the last bar: the cursor rests there.
  const hasRoom = entities < terminal.height();
  return terminal.canRedraw && hasRoom
    ? new SyncBars(terminal, environment)
    : new SyncLines(terminal);
}

class SyncLines implements SyncDisplay {
  readonly #terminal: Terminal;
  readonly #shown = new Map<string, string>();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(status: SyncStatus): void {
    for (const { entity, told } of progressOf(status)) {
      if (this.#shown.get(entity) === told) continue;
      this.#shown.set(entity, told);
      this.#terminal.out(`${entity}: ${told}\n`);
    }
  }

  stop(): void {
    // There is nothing to end: each line was printed whole.
  }
}
