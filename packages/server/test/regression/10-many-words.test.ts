import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { at, type TestAnswer } from '../support/http-client.ts';
import { copiedUser, copyByHand } from '../support/hand-sync.ts';
import { assertProblem, faultFields } from '../support/problem.ts';
import { useTestService } from '../support/start-test-service.ts';

const DIGIT_WORDS = Array.from({ length: 40_000 }, (_, index) => String(10_000 + index)).join(' ');

describe('a text of 40,000 words of digits', async () => {
  const { running, token } = await useTestService();
  const id = await running.connector(token);
  await copyByHand(running.store, id, 'users', [copiedUser('U1', { real_name: 'Ada Lovelace' })]);
  const execute = (action: string, params: unknown): Promise<TestAnswer> =>
    running.execute(token, id, { entity: 'users', action, params });
  const search = (filter: unknown) => execute('search', { query: { filter } });

  for (const field of ['real_name', 'updated', 'profile', 'profile.title'])
    for (const operator of ['keyword', 'fuzzy', 'like'])
      test(`is too much for ${operator} of ${field}, and is told so`, async () => {
        for (const filter of [
          { [operator]: { [field]: DIGIT_WORDS } },
          { not: { [operator]: { [field]: DIGIT_WORDS } } },
        ]) {
          const answer = await search(filter);
          assertProblem(answer, 'invalid_query');
          const [fault = ''] = faultFields(answer);
          assert.ok(fault.endsWith(`.${operator}.${field}`), fault);
        }
      });

  for (const field of ['real_name', 'profile', 'profile.title'])
    test(`is a value like any other for ${field}`, async () => {
      for (const filter of [
        { eq: { [field]: DIGIT_WORDS } },
        { in: { [field]: [DIGIT_WORDS] } },
        ...(field === 'profile' ? [] : [{ gt: { [field]: DIGIT_WORDS } }]),
      ]) {
        const answer = await search(filter);
        assert.equal(answer.status, 200, answer.text);
      }
    });

  test('is no cursor, no field and no param of a list', async () => {
    const rows = [
      [await execute('search', { query: {}, cursor: DIGIT_WORDS }), 'invalid_cursor'],
      [await execute('search', { query: {}, fields: [DIGIT_WORDS] }), 'invalid_query'],
      [await execute('list', { limit: DIGIT_WORDS }), 'invalid_params'],
    ] as const;
    for (const [answer, code] of rows) assertProblem(answer, code);
    for (const params of [{ cursor: DIGIT_WORDS }, { team_id: DIGIT_WORDS }]) {
      const { status, body } = await execute('list', params);
      assert.ok(status >= 400 && status < 500, `${status} ${String(at({ body }, 'detail'))}`);
    }
  });
});
