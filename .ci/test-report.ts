/**
 * How test runs report: as Node.js's own `spec` reporter does, and after its sums what was not
 * tested and why. `node --test-reporter=./.ci/test-report.ts` takes it.
 */
import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { spec, type TestEvent } from 'node:test/reporters';
import { shortenedSuites } from '../packages/connectors/test/support/test-sizes.ts';
import { LeftOut } from './support/left-out.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

// oxlint-disable-next-line import/no-default-export -- Node.js wants a reporter as the default.
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const leftOut = new LeftOut();
  const files = new Set<string>();
  async function* watched(): AsyncGenerator<TestEvent> {
    for await (const event of source) {
      leftOut.add(event);
      const { data } = event;
      if (data !== undefined && 'file' in data && data.file !== undefined)
        files.add(relative(ROOT, data.file));
      yield event;
    }
  }
  for await (const part of Readable.from(watched()).compose(new spec())) yield String(part);
  const lines = [...leftOut.lines(), ...shortenedSuites(files), ...filesLeftOut()];
  yield lines.length === 0
    ? '\nNothing was skipped or shortened.\n'
    : `\nNot all was tested:\n${lines.map((line) => `- ${line}\n`).join('')}`;
}

/** `.ci/test` leaves them out, and says how many. */
function filesLeftOut(): readonly string[] {
  const { TEST_FILES_LEFT_OUT: count = '0' } = process.env;
  return count === '0'
    ? []
    : [
        `left out ${count} files that take long, those of .ci/long-tests (npm run test:long runs all)`,
      ];
}
