import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Toolbox } from '@patchbay/tools';
import { getEncoding } from 'js-tiktoken';
import type { JsonObject } from '../src/host.ts';
import { at, callerOf, listAt, type Caller } from './support/answers.ts';
import { startLibrary, type Library } from './support/start-library.ts';

const MAX_TOKENS = 4_000;
const ENCODINGS = [getEncoding('o200k_base'), getEncoding('cl100k_base')];

function tokensOf(content: JsonObject): number {
  const text = JSON.stringify(content);
  return Math.max(...ENCODINGS.map((each) => each.encode(text).length));
}

describe('what a list costs a model', () => {
  let library: Library;
  let call: Caller;
  before(async () => {
    library = await startLibrary();
    call = callerOf(new Toolbox({ host: library.host }));
  });
  after(() => library[Symbol.asyncDispose]());

  /** The records of a list, all of its first page. */
  async function records(connector: string, entity: string, params: JsonObject) {
    const args = { connector, entity, action: 'list', params, max_bytes: 1_048_576 };
    return listAt(await call('execute', args), 'data');
  }

  /** Values for the params that lists of parts of others require. */
  async function requiredParams(): Promise<JsonObject> {
    const channels = await records('slack', 'channels', {});
    const channel = channels.find((each) => each['is_member'] === true) ?? channels[0];
    const messages = await records('slack', 'channel_messages', { channel: channel?.['id'] });
    const thread = messages.find((each) => Number(each['reply_count']) > 0) ?? messages[0];
    const tickets = await records('zendesk', 'tickets', {});
    const articles = await records('zendesk', 'articles', {});
    return {
      channel: channel?.['id'],
      ts: thread?.['ts'],
      ticket_id: tickets[0]?.['id'],
      article_id: articles[0]?.['id'],
    };
  }

  test('every list without options fits 4,000 tokens and says what it left out', async () => {
    const known = await requiredParams();
    const cut: string[] = [];
    for (const { id: connector } of await library.host.connectors())
      for (const { name: entity, actions } of (await library.host.describe(connector)).entities) {
        const list = actions.find(({ name }) => name === 'list');
        if (list === undefined) continue;
        // Slack lists a thread by its first message, though the reference does not require it.
        const needed = list.params.filter(
          ({ name, required }) => required || (entity === 'threads' && name === 'ts'),
        );
        const params = Object.fromEntries(needed.map(({ name }) => [name, known[name]]));
        const answer = await call('execute', { connector, entity, action: 'list', params });
        const tokens = tokensOf(answer);
        assert.ok(tokens <= MAX_TOKENS, `${connector} ${entity}: ${tokens} tokens`);
        assert.ok(listAt(answer, 'data').length > 0, `${connector} ${entity}`);
        const { truncated } = answer;
        if (truncated === undefined) continue;
        cut.push(`${connector} ${entity}`);
        assert.ok(Number(at(truncated, 'left_out')) > 0, `${connector} ${entity}`);
        assert.match(String(at(truncated, 'rest')), /next_params|limit/, `${connector} ${entity}`);
        assert.match(String(at(truncated, 'rest')), /select_fields/, `${connector} ${entity}`);
      }
    for (const each of ['slack users', 'intercom conversations', 'zendesk tickets'])
      assert.ok(cut.includes(each), `${each} of the sandbox is no longer long: ${cut.join(', ')}`);
  });

  test('nothing is lost on the way: the pages lead on to the last record', async () => {
    const list = { connector: 'zendesk', entity: 'users', action: 'list' };
    const ids: unknown[] = [];
    let params: unknown = {};
    while (params !== null) {
      const page = await call('execute', { ...list, params });
      ids.push(...listAt(page, 'data').map(({ id }) => id));
      params = page['next_params'];
    }
    const all: unknown[] = [];
    for await (const { id } of library.connectors.support.users.list.all({})) all.push(id);
    assert.deepEqual(ids, all);
  });

  test('who asks for more gets more', async () => {
    const list = { connector: 'zendesk', entity: 'tickets', action: 'list' };
    const short = listAt(await call('execute', list), 'data').length;
    const stated = await call('execute', { ...list, params: { limit: 20 } });
    assert.equal(listAt(stated, 'data').length, 20);
    const long = await call('execute', { ...list, max_bytes: 49_152 });
    assert.equal(listAt(long, 'data').length, 25);
    const narrow = await call('execute', { ...list, select_fields: ['id', 'subject'] });
    assert.equal(listAt(narrow, 'data').length, 25);
    assert.ok(short < 20);
  });
});
