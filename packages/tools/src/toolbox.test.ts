import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeKind, findKind } from '@patchbay/connectors/definitions';
import type { ExecuteOutcome, ToolHost } from './host.ts';
import { Toolbox } from './toolbox.ts';

const SLACK = describeKind(findKind('slack'));

/** A host of one connector, whose every operation brings the same. */
function hostOf(outcome: ExecuteOutcome): ToolHost {
  return {
    mode: 'open_source',
    connectors: async () => [{ id: 'slack', kind: SLACK.kind, name: 'Slack' }],
    describe: async () => SLACK,
    describeEntity: () => assert.fail('nobody asks for it'),
    execute: async () => outcome,
    search: () => assert.fail('nobody searches'),
    syncStatus: async () => undefined,
  };
}

const GET = { entity: 'users', action: 'get', params: { user: 'U1' } };

test('halves of characters are none in an answer: the interfaces of models refuse the whole conversation then', async () => {
  const record = {
    id: 'U1',
    real_name: 'cut off \ud83d',
    name: '\ude00 whole 😀',
    profile: { '\ud83d': ['a', '\udc00'], title: String.raw`a path: \ud83d` },
  };
  const box = new Toolbox({ host: hostOf({ type: 'record', record }) });
  const { content, text, isError } = await box.call('execute', GET);
  assert.equal(isError, false);
  assert.deepEqual(content['data'], {
    id: 'U1',
    real_name: 'cut off \ufffd',
    name: '\ufffd whole 😀',
    profile: { '\ufffd': ['a', '\ufffd'], title: String.raw`a path: \ud83d` },
  });
  assert.deepEqual(JSON.parse(text), content);
  const refused = await box.call('execute', { ...GET, connector: `a${'😀'.repeat(60)}` });
  assert.equal(refused.isError, true);
  assert.equal(JSON.stringify(refused.content).toWellFormed(), refused.text);
  assert.doesNotMatch(refused.text, /(?<!\\)(?:\\\\)*\\ud[89a-f]/);
});
