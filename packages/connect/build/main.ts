/**
 * Builds the connect page. With `--if-stale` only where its sources have changed since; a failure then
 * stops nobody: the service starts, and says what to run where the page should be.
 */
import { parseArgs } from 'node:util';
import { buildPage, isStale, OUTPUT } from './build-page.ts';

const { values } = parseArgs({
  options: {
    'if-stale': { type: 'boolean', default: false },
    output: { type: 'string', default: OUTPUT },
  },
});
if (values['if-stale']) await buildIfStale(values.output);
else await buildPage(values.output);

async function buildIfStale(output: string): Promise<void> {
  try {
    if (!(await isStale(output))) return;
    process.stderr.write('Building the connect page …');
    const begunAt = performance.now();
    await buildPage(output);
    const seconds = (performance.now() - begunAt) / 1_000;
    process.stderr.write(` done in ${seconds.toFixed(1)} s\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`\nWarning: the connect page was not built: ${reason}\n`);
  }
}
