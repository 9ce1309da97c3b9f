import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConnectorEngine, Page } from '@patchbay/connectors/engine';
import { startSandbox } from '@patchbay/sandbox';
import { kindsUnderTest } from '../conformance/support/kinds-under-test.ts';
import { engineFor } from '../conformance/support/operations.ts';
import { collect } from '../support/connectors.ts';
import { HandMadeCopy } from '../support/hand-made-copy.ts';
import { reply, startUpstream } from '../support/upstreams.ts';

// What Zendesk leaves out of its answers unless it is asked for, and what then passed for all there is.

function engineAt(url: string): ConnectorEngine {
  const row = kindsUnderTest.find(({ kind }) => kind.kind === 'support-ticketing');
  return engineFor(row ?? assert.fail(), url);
}

test('tickets that a bot has handled alone are copied as all others', async () => {
  await using sandbox = await startSandbox({ scale: 130 });
  const engine = engineAt(sandbox.urls.zendeskSupport);
  const listed = await collect(engine.pages('tickets', {}));
  const ids = listed.flatMap(({ data }) => data.map(({ id }) => String(id)));
  const copy = new HandMadeCopy(engine, () => Date.now());
  await copy.sync('tickets');
  assert.deepEqual([...copy.rows('tickets').keys()].toSorted(), ids.toSorted());
});

/** @see https://developer.zendesk.com/api-reference/ticketing/organizations/organizations/ */
test('pages by cursor that do not say whether more follows are read on to an empty one', async () => {
  const sizes = [100, 100, 20, 0];
  await using upstream = await startUpstream((response, nth, { line }) => {
    const query = new URL(line.split(' ')[1] ?? '', 'http://upstream').searchParams;
    assert.equal(query.get('page[after]'), nth === 0 ? null : `after-${nth}`);
    const count = sizes[nth] ?? assert.fail('the list has ended');
    reply(response, 200, {
      organizations: Array.from({ length: count }, (_, index) => ({ id: nth * 100 + index + 1 })),
      meta: { after_cursor: `after-${nth + 1}`, before_cursor: null },
      links: { prev: null, next: `${line.split(' ')[1]}&page[after]=after-${nth + 1}` },
    });
  });
  const pages: Page[] = await collect(engineAt(upstream.url).pages('organizations', {}));
  assert.deepEqual(
    pages.map(({ data }) => data.length),
    sizes,
  );
  assert.partialDeepStrictEqual(pages.at(-1)?.meta, { after_cursor: null, next_page: null });
});
