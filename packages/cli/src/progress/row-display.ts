import { SingleBar } from 'cli-progress';
import type { CarriedRows } from '@patchbay/store';
import type { Terminal } from '../terminal.ts';

/** What shows how far rows have been carried. */
interface RowDisplay extends Disposable {
  readonly show: (rows: CarriedRows) => void;
}

const FRAMES_PER_SECOND = 10;

/** With fewer nobody waits. */
const MANY_ROWS = 1_000;

/** A bar where lines can be drawn anew; else a line for each tenth of many rows. Both on standard error. */
export function makeRowDisplay(terminal: Terminal): RowDisplay {
  return terminal.canRedraw ? makeBar() : makeLines(terminal);
}

function makeBar(): RowDisplay {
  const bar = new SingleBar({
    stream: process.stderr,
    fps: FRAMES_PER_SECOND,
    hideCursor: true,
    format: '{bar} {value} of {total} rows',
    barCompleteChar: '=',
    barIncompleteChar: '-',
    barsize: 30,
  });
  let isStarted = false;
  return {
    show: ({ done, of }) => {
      if (!isStarted) bar.start(of, done);
      isStarted = true;
      bar.update(done);
    },
    [Symbol.dispose]: () => bar.stop(),
  };
}

function makeLines(terminal: Terminal): RowDisplay {
  let told = -1;
  return {
    show: ({ done, of }) => {
      const tenth = Math.floor((10 * done) / of);
      if (of < MANY_ROWS || tenth === told) return;
      told = tenth;
      terminal.err(`${done.toLocaleString('en-GB')} of ${of.toLocaleString('en-GB')} rows\n`);
    },
    [Symbol.dispose]: () => undefined,
  };
}
