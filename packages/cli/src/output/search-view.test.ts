import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SearchPage, UntypedHit } from '@patchbay/client';
import { pipedTerminal } from '../../test/support/piped-terminal.ts';
import { showHits } from './search-view.ts';

type Page = SearchPage<UntypedHit>;

/** What a person sees of a page. */
function shown(
  changes: Partial<Page>,
  params: Readonly<Record<string, unknown>> = {},
): { readonly out: string; readonly err: string } {
  const { terminal, said } = pipedTerminal();
  const page: Page = {
    hits: [],
    next_cursor: null,
    took_ms: 1,
    sync: { state: 'idle', as_of: null, complete: false, lag_seconds: null },
    execution_metadata: {} as Page['execution_metadata'],
    warnings: [],
    ...changes,
  };
  showHits(page, params, terminal);
  return said;
}

const NO_HITS = '0 hits in 1 ms; the copy is not whole yet.\n';

describe('a page of a search shows', () => {
  test('what was counted: how many match, and the values of each facet', () => {
    const { out, err } = shown({
      total: { value: 10_000, relation: 'at_least' },
      facets: {
        is_bot: {
          values: [
            { value: false, count: 9_871 },
            { value: true, count: 129 },
          ],
          relation: 'at_least',
          other: 0,
        },
        tz: { values: [{ value: 'Europe/\u001b[31mRome', count: 1 }], relation: 'exact', other: 3 },
        color: { values: [], relation: 'exact', other: 0 },
      },
    });
    assert.deepEqual(out.split('\n'), [
      '',
      'is_bot  records',
      'false      9871',
      'true        129',
      '',
      'tz                     records',
      'Europe/\\u001b[31mRome        1',
      '',
    ]);
    assert.equal(
      err,
      'is_bot: not of all records that match.\ntz: 3 of other values.\ncolor: no values.\n' +
        `At least 10000 records match.\n${NO_HITS}`,
    );
  });

  describe('columns', () => {
    const hits = [
      {
        id: 'U1',
        score: 0.9,
        data: { tz: 'UTC', profile: { title: 'Cook', phone: '1' }, updated: 7, real_name: 'Ada' },
      },
    ];
    const titlesOf = (params: Readonly<Record<string, unknown>>, of: Page['hits'] = hits) =>
      shown({ hits: of }, params).out.split('\n')[0]?.split(/ +/);

    for (const [of, params, titles] of [
      ['nothing named', {}, ['id', 'score', 'tz', 'profile', 'updated', 'real_name']],
      [
        'filter, then sort',
        {
          query: {
            filter: { and: [{ not: { fuzzy: { real_name: 'a' } } }, { eq: { tz: 'UTC' } }] },
            sort: [{ updated: 'desc' }, { tz: 'asc' }],
          },
        },
        ['real_name', 'tz', 'updated', 'id', 'score', 'profile'],
      ],
      [
        'members of an object',
        { query: { filter: { like: { 'profile.title': 'c' } } } },
        ['profile.title', 'id', 'score', 'tz', 'profile', 'updated', 'real_name'],
      ],
      [
        'the list form, and any',
        {
          query: {
            filter: {
              or: [
                { eq: [{ path: ['profile', 'phone'], value: 1 }] },
                { any: { tz: { eq: { x: 1 } } } },
              ],
            },
          },
        },
        ['profile.phone', 'tz', 'id', 'score', 'profile', 'updated', 'real_name'],
      ],
    ] as const)
      test(`begin with what the search names: ${of}`, () => {
        assert.deepEqual(titlesOf(params), titles);
      });

    test('show the members that were chosen instead of their object', () => {
      const chosen = [{ id: 'U1', score: 1, data: { profile: { title: 'Cook' }, tz: 'UTC' } }];
      const params = { query: { sort: [{ tz: 'asc' }] }, fields: ['profile.title', 'tz'] };
      assert.deepEqual(titlesOf(params, chosen), ['tz', 'profile.title', 'id', 'score']);
      assert.match(shown({ hits: chosen }, params).out, /\nUTC +Cook +U1 +1\n/);
    });
  });

  test('one record as one', () => {
    assert.equal(
      shown({ total: { value: 1, relation: 'exact' } }).err,
      `1 record matches.\n${NO_HITS}`,
    );
  });

  test('that it is a part, and whether hits or only counts are missing', () => {
    assert.equal(
      shown({ partial: true, next_cursor: 'on' }).err,
      `${NO_HITS}The search took too long: more hits may follow, even where there are none here.\nNext page: --cursor on, or --all.\n`,
    );
    assert.equal(shown({ partial: true }).err, `${NO_HITS}The search took too long to count.\n`);
  });

  test('warnings, of which a terminal obeys nothing', () => {
    const warnings = [
      { code: 'path_not_seen', message: 'No\u001b[2J record', field: 'x' },
    ] as const;
    assert.match(shown({ warnings }).err, /^Warning: No\\u001b\[2J record$/m);
  });
});
