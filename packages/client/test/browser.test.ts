import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Report } from './support/browser-page.ts';
import { startPageServer } from './support/page-server.ts';
import { showPage } from './support/run-chromium.ts';
import { startHosted } from './support/start-hosted.ts';

test('in a browser, a page calls, searches, watches and writes', { skip: NO_BROWSER }, async () => {
  await using hosted = await startHosted('all');
  const server = await startPageServer({
    serviceUrl: hosted.service.url,
    mintToken: () => hosted.mintToken('reader-of-a-page'),
  });
  try {
    // The page posts one.
    const report = (await showPage(server.url, server.report)) as Report;
    assert.equal(report.problem, undefined);
    const { hits = [], refusal = '', users, ...rest } = report;
    assert.deepEqual(rest, {
      externalUserId: 'reader-of-a-page',
      runState: 'succeeded',
      channel: 'made-in-a-page',
    });
    assert.equal(users?.length, 3);
    assert.equal(hits.length, 2);
    for (const name of hits) assert.match(name ?? '', /Underbough/);
    assert.match(refusal, /^invalid_config: .*clientSecret must not be in a browser/);
    assert.ok(!refusal.includes('a-secret-in-a-page'));
  } finally {
    await server.close();
  }
});
