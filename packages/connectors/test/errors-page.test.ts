import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ERRORS } from '@patchbay/connectors';

test('the errors page lists exactly the rows of the error table', async () => {
  const page = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  // The table of codes comes first; what follows explains single codes.
  const [table = ''] = page.split('\n## ');
  const listed = table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    .map(([, code, status, retry, group, summary]) => [
      code,
      Number(status),
      retry,
      group,
      summary,
    ]);
  const declared = Object.entries(ERRORS).map(([code, { status, retry, group, summary }]) => [
    code,
    status,
    retry,
    group,
    summary,
  ]);
  assert.deepEqual(listed, declared);
});
