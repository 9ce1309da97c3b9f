import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeKind, faultsOf, isConnectorError, type CallOptions } from '@patchbay/connectors';
import {
  checkConfig,
  checkConnector,
  checkCredentials,
  checkReplicationConfig,
  ConnectorEngine,
  type EngineOptions,
} from '@patchbay/connectors/engine';
import { collect, errorOf } from './support/connectors.ts';
import { FailingDispatcher, systemError } from './support/failing-dispatcher.ts';
import { HandClock, turning } from './support/hand-clock.ts';
import { toyKind } from './support/toy-kind.ts';
import { reply, startUpstream } from './support/upstreams.ts';

const CREDENTIALS = { email: 'ada@example.com', api_token: 'opens-the-toy-shop' };

function engineAt(baseUrl: string | undefined, options: Partial<EngineOptions> = {}) {
  return new ConnectorEngine({
    kind: toyKind,
    authorize: () => checkCredentials(toyKind, CREDENTIALS),
    config: {},
    upstreamLimits: 'reactive',
    random: () => 0,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...options,
  });
}

describe('a request', () => {
  test('has path, query, body, constants and headers as the definition says', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { id: 5, thing: { id: 5 } }),
    );
    const engine = engineAt(`${upstream.url}/base/`);
    await engine.execute('things', 'get', { thing_id: 'a/b?c&#%20 é', note: 'unsent' });
    await engine.execute('things', 'create', { shelf: '..x', name: 'Bear', dry_run: true });
    const [read, written] = upstream.seen;
    assert.equal(read?.line, 'GET /base/things/a%2Fb%3Fc%26%23%2520%20%C3%A9/all');
    assert.equal(read.body, '');
    assert.equal(written?.line, 'PUT /base/shelves/..x/things?dry_run=true');
    assert.deepEqual(JSON.parse(written.body), { origin: 'patchbay', title: 'Bear' });
    assert.match(written.headers['content-type'] ?? '', /^application\/json/);
    assert.equal(written.headers['x-kind'], 'toy');
    const pair = `${CREDENTIALS.email}/token:${CREDENTIALS.api_token}`;
    const expected = `Basic ${Buffer.from(pair).toString('base64')}`;
    assert.equal(written.headers.authorization, expected);
  });

  test('renames params for the upstream, and keeps our names for the caller', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { page: { things: [] } }),
    );
    const engine = engineAt(upstream.url);
    await engine.execute('things', 'list', { per_page: 2, shape: 'round' });
    assert.equal(upstream.seen[0]?.line, 'GET /things?include=parts&page_size=2&shape=round');
    assert.equal(upstream.seen[0].headers['x-version'], '2');
    const error = await errorOf(engine.execute('things', 'list', { page_size: 2, shape: 'oval' }));
    assert.deepEqual(
      faultsOf(error).map(({ field }) => field),
      ['params.page_size', 'params.shape'],
    );
  });

  for (const thing of ['', '.', '..'])
    test(`a path segment ${JSON.stringify(thing)} is refused: it would address something else`, async () => {
      const error = await errorOf(
        engineAt('http://127.0.0.1:9').execute('things', 'get', { thing_id: thing }),
      );
      assert.equal(error.code, 'invalid_params');
      assert.deepEqual(faultsOf(error)[0]?.field, 'params.thing_id');
    });
});

describe('config', () => {
  const targets = [
    [{ subdomain: 'acme' }, 'https://acme.r1.example.com'],
    [{ subdomain: 'acme', region: 'us' }, 'https://acme.r1.example.com'],
    [{ subdomain: 'acme', region: 'eu' }, 'https://acme.r2.example.com'],
  ] as const;
  for (const [config, origin] of targets)
    test(`${JSON.stringify(config)} leads to ${origin}`, async () => {
      const dispatcher = new FailingDispatcher(systemError('ECONNREFUSED', 'connect'));
      const clock = new HandClock();
      const engine = engineAt(undefined, {
        config: checkConfig(toyKind, config),
        dispatcher,
        clock,
      });
      const error = await turning(
        clock,
        errorOf(engine.execute('things', 'get', { thing_id: '1' })),
      );
      assert.equal(error.code, 'upstream_unavailable');
      assert.ok(error.message.includes(origin));
      assert.deepEqual(dispatcher.seen, Array(3).fill(`GET ${origin}/api/things/1/all`));
    });

  for (const config of [{}, { subdomain: null }, { subdomain: 'your-subdomain' }, { region: 'eu' }])
    test(`${JSON.stringify(config)} lacks the subdomain: config_required, unsent`, async () => {
      const dispatcher = new FailingDispatcher(systemError('ECONNREFUSED', 'connect'));
      const engine = engineAt(undefined, { config: checkConfig(toyKind, config), dispatcher });
      for (const call of [
        engine.execute('things', 'get', { thing_id: '1' }),
        collect(engine.pages('things')),
        checkConnector(engine),
      ]) {
        const error = await errorOf(call);
        assert.equal(error.code, 'config_required');
        assert.equal(error.status, 424);
        assert.partialDeepStrictEqual(error.details, { missing: ['subdomain'] });
      }
      assert.deepEqual(dispatcher.seen, []);
    });

  test('wrong params are told before missing config', async () => {
    const error = await errorOf(engineAt(undefined).execute('things', 'get', {}));
    assert.equal(error.code, 'invalid_params');
  });

  test('a base URL without placeholders, as the sandbox’s, needs none', async () => {
    await using upstream = await startUpstream((response) => reply(response, 200, { id: 1 }));
    const engine = engineAt(upstream.url);
    assert.deepEqual(await engine.execute('things', 'get', { thing_id: '1' }), {
      id: 1,
      seen_at: null,
      parts: [],
    });
  });

  const wrong: readonly (readonly [unknown, readonly string[]])[] = [
    [{ subdomain: 'a.b' }, ['config.subdomain out_of_range']],
    [{ subdomain: 'evil.example/?' }, ['config.subdomain out_of_range']],
    [{ subdomain: 5 }, ['config.subdomain wrong_type']],
    [{ subdomain: 'acme', region: 'mars' }, ['config.region out_of_range']],
    [{ region: 'constructor' }, ['config.region out_of_range']],
    [{ sub_domain: 'acme' }, ['config.sub_domain unknown']],
    [[], ['config wrong_type']],
    ['acme', ['config wrong_type']],
  ];
  for (const [config, faults] of wrong)
    test(`${JSON.stringify(config)} is invalid_config`, () => {
      assert.throws(
        () => checkConfig(toyKind, config),
        (error) => {
          assert.ok(isConnectorError(error, 'invalid_config'));
          assert.deepEqual(
            faultsOf(error).map(({ field, errorCode }) => `${field} ${errorCode}`),
            faults,
          );
          return true;
        },
      );
    });
});

describe('the replication config', () => {
  test('is optional where the kind says so', () => {
    assert.equal(checkReplicationConfig(toyKind, undefined), null);
    assert.equal(checkReplicationConfig(toyKind, null), null);
    assert.deepEqual(checkReplicationConfig(toyKind, {}), {});
  });
});

describe('paging after the last key', () => {
  for (const [total, params, requests] of [
    [0, {}, 1],
    [2, {}, 1],
    [3, {}, 2],
    [7, {}, 3],
    [7, { per_page: 2 }, 4],
    [7, { per_page: 7 }, 2],
    [7, { per_page: 100 }, 1],
    [7, { per_page: 1 }, 8],
  ] as const)
    test(`${total} records, ${JSON.stringify(params)}: each once, ${requests} requests`, async () => {
      const walked = await walkThings(total, params);
      assert.deepEqual(
        walked.ids,
        Array.from({ length: total }, (_, nth) => nth + 1),
      );
      assert.equal(walked.requests, requests);
    });

  test('an upstream that ignores the key ends with an error', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { page: { things: [{ id: 1 }, { id: 2 }, { id: 3 }] } }),
    );
    const error = await errorOf(collect(engineAt(upstream.url).all('things')));
    assert.equal(error.code, 'upstream_contract_broken');
    assert.equal(upstream.seen.length, 2);
  });

  test('count falls back to the length of the page', async () => {
    await using upstream = await startUpstream((response, nth) =>
      reply(response, 200, {
        page: { things: [{ id: 1 }, { id: 2 }] },
        ...(nth === 0 ? {} : { count: 9 }),
      }),
    );
    const engine = engineAt(upstream.url);
    assert.partialDeepStrictEqual(await engine.execute('things', 'list'), { meta: { count: 2 } });
    assert.partialDeepStrictEqual(await engine.execute('things', 'list'), { meta: { count: 9 } });
  });
});

describe('paging by links that are never null', () => {
  test('end at a short page, and read every event, also where pages share a time', async () => {
    const { ids, lines } = await walkEvents([1, 2, 3, 3, 3, 4, 5, 5, 6], 4);
    assert.equal(ids.size, 9);
    assert.deepEqual(lines, [
      'GET /events?limit=4',
      'GET /events?start_time=3&limit=4',
      'GET /events?start_time=4&limit=4',
      'GET /events?start_time=6&limit=4',
    ]);
  });

  test('lead nowhere but to the upstream itself, whatever host they name', async () => {
    const { lines } = await walkEvents([1, 2, 3], 2);
    for (const line of lines) assert.match(line, /^GET \/events\?/);
  });

  test('are null in Meta where the list ends, though the upstream goes on', async () => {
    await using upstream = await startUpstream((response, nth) =>
      reply(response, 200, {
        events: nth === 0 ? [1, 2, 3, 4].map((id) => ({ id })) : [{ id: 5 }],
        next_page: 'https://elsewhere.example.com/events?start_time=7',
      }),
    );
    const engine = engineAt(upstream.url);
    const full = await engine.execute('events', 'list');
    assert.partialDeepStrictEqual(full, {
      // The config does not say where the vendor is.
      meta: { next_page: '/events?start_time=7' },
    });
    const short = await engine.execute('events', 'list');
    assert.partialDeepStrictEqual(short, { meta: { next_page: null } });
  });

  test('that are no URLs break the contract', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, {
        events: [1, 2, 3, 4].map((id) => ({ id })),
        next_page: 'http://[',
      }),
    );
    const error = await errorOf(collect(engineAt(upstream.url).all('events')));
    assert.equal(error.code, 'upstream_contract_broken');
    assert.equal(upstream.seen.length, 1);
  });

  test('a null link ends the list', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { events: [1, 2, 3, 4].map((id) => ({ id })), next_page: null }),
    );
    assert.equal((await collect(engineAt(upstream.url).all('events'))).length, 4);
  });

  test('a page full of one time never loops', async () => {
    const call = walkEvents([1, 1, 1, 1, 1], 2);
    const error = await errorOf(call);
    assert.equal(error.code, 'upstream_contract_broken');
  });
});

describe('credentials that are renewed', () => {
  test('are asked for before each attempt, and go out with the next one', async () => {
    let token = 'the-first-token';
    await using upstream = await startUpstream((response, nth) => {
      token = 'the-second-token';
      reply(response, nth === 0 ? 500 : 200, { id: 1 });
    });
    await get(engineAt(upstream.url, { authorize: () => tokens(token) }));
    const sent = upstream.seen.map(({ headers }) => passwordOf(headers.authorization));
    assert.deepEqual(sent, ['the-first-token', 'the-second-token']);
  });

  test('are what an error leaves out, not those of an earlier attempt', async () => {
    await using upstream = await startUpstream((response, nth) => {
      const details = `wrong: the-${nth}-token`;
      reply(response, nth === 0 ? 500 : 400, { error: { code: 'no_thing', details } });
    });
    let asked = 0;
    const engine = engineAt(upstream.url, { authorize: () => tokens(`the-${asked++}-token`) });
    const error = await errorOf(get(engine));
    assert.partialDeepStrictEqual(error.details, { upstreamMessage: 'wrong: [secret]' });
  });

  test('may take a while; nothing goes out before, nor after the deadline', async () => {
    await using upstream = await startUpstream((response) => reply(response, 200, { id: 1 }));
    const renewed = Promise.withResolvers<ReturnType<typeof tokens>>();
    const slow = get(engineAt(upstream.url, { authorize: () => renewed.promise }));
    await new Promise(setImmediate);
    assert.equal(upstream.seen.length, 0);
    renewed.resolve(tokens('renewed'));
    await slow;
    assert.equal(passwordOf(upstream.seen[0]?.headers.authorization), 'renewed');

    const clock = new HandClock();
    const engine = engineAt(upstream.url, { clock, authorize: waitInVain });
    const late = errorOf(get(engine, { timeoutMs: 50 }));
    await new Promise(setImmediate);
    clock.advance(50);
    assert.equal((await late).code, 'upstream_timeout');
    assert.equal(upstream.seen.length, 1);
  });

  test('that cannot be had fail the call with their own error', async () => {
    const refused = new Error('no renewal');
    const authorize = () => Promise.reject(refused);
    const call = get(engineAt('http://127.0.0.1:9', { authorize }));
    await assert.rejects(call, (error) => error === refused);
  });
});

describe('rate headers', () => {
  test('make the next call wait when nothing is left', async () => {
    const clock = new HandClock();
    const startedAt = clock.now();
    const at: number[] = [];
    await using upstream = await startUpstream((response) => {
      at.push(clock.now() - startedAt);
      const isFirst = at.length === 1;
      reply(
        response,
        200,
        { id: 1 },
        {
          'x-rate-remaining': isFirst ? '0' : '7',
          'x-rate-reset': String(startedAt / 1000 + 20),
          date: new Date(clock.now()).toUTCString(),
        },
      );
    });
    const engine = engineAt(upstream.url, { clock });
    for (const thing of ['1', '2', '3'])
      await turning(clock, engine.execute('things', 'get', { thing_id: thing }));
    assert.equal(at[1], 20_000);
    assert.ok((at[2] ?? 0) < 20_010);
  });

  test('make it wait no longer where our clock is behind that of the upstream', async () => {
    const clock = new HandClock();
    const startedAt = clock.now();
    const itsNow = startedAt + 600_000;
    const at: number[] = [];
    await using upstream = await startUpstream((response) => {
      at.push(clock.now() - startedAt);
      const told = { 'x-rate-remaining': '0', 'x-rate-reset': String(itsNow / 1000 + 20) };
      reply(response, 200, { id: 1 }, { ...told, date: new Date(itsNow).toUTCString() });
    });
    const engine = engineAt(upstream.url, { clock });
    for (const thing of ['1', '2'])
      await turning(clock, engine.execute('things', 'get', { thing_id: thing }));
    assert.deepEqual(at, [0, 20_000]);
  });

  for (const headers of [{}, { 'x-rate-remaining': 'none', 'x-rate-reset': 'soon' }])
    test(`${JSON.stringify(headers)} changes nothing`, async () => {
      const clock = new HandClock();
      await using upstream = await startUpstream((response) =>
        reply(response, 200, { id: 1 }, headers),
      );
      const engine = engineAt(upstream.url, { clock });
      for (const thing of ['1', '2']) await engine.execute('things', 'get', { thing_id: thing });
      assert.equal(upstream.seen.length, 2);
    });
});

describe('errors of a kind', () => {
  test('its codes decide beside an HTTP status, and its sentence is passed on', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 400, { error: { code: 'no_thing', details: 'It is gone.' } }),
    );
    const error = await errorOf(engineAt(upstream.url).execute('things', 'get', { thing_id: '1' }));
    assert.equal(error.code, 'record_not_found');
    assert.partialDeepStrictEqual(error.details, {
      upstreamCode: 'no_thing',
      upstreamMessage: 'It is gone.',
      upstreamStatus: 400,
    });
  });

  test('the setting of the base URL is named as whoever runs this calls it', async () => {
    const clock = new HandClock();
    const engine = engineAt('http://127.0.0.1:9', { clock, baseUrlSetting: 'TOY_SHOP_URL' });
    const error = await turning(clock, errorOf(engine.execute('things', 'get', { thing_id: '1' })));
    assert.match(error.message, /the setting TOY_SHOP_URL\./);
  });

  test('where nothing answers is told to whoever listens for it, and to nobody else', async () => {
    const clock = new HandClock();
    const told: string[] = [];
    const engine = engineAt('http://127.0.0.1:9', {
      clock,
      onUnreachable: (sentence) => told.push(sentence),
    });
    const error = await turning(clock, errorOf(engine.execute('things', 'get', { thing_id: '1' })));
    assert.equal(error.code, 'upstream_unavailable');
    assert.doesNotMatch(error.message, /127\.0\.0\.1|baseUrl/);
    assert.match(
      told[0] ?? '',
      /cannot be reached at http:\/\/127\.0\.0\.1:9: .*ECONNREFUSED.*baseUrl/,
    );
  });
});

describe('checking a connector', () => {
  test('tries every named read, and reports the upstream’s failures instead of throwing', async () => {
    await using upstream = await startUpstream((response, _, { line }) =>
      line.includes('/events')
        ? reply(response, 403, '')
        : reply(response, 200, { page: { things: [] } }),
    );
    const report = await checkConnector(engineAt(upstream.url));
    assert.equal(report.status, 'failed');
    assert.deepEqual(
      report.entity_check_results.map(({ entity, status, error_code: code }) => [
        entity,
        status,
        code,
      ]),
      [
        ['things', 'succeeded', undefined],
        ['events', 'failed', 'upstream_forbidden'],
      ],
    );
    assert.equal(report.error_message, report.entity_check_results[1]?.error_message);
  });

  test('an abort is no finding', async () => {
    await using upstream = await startUpstream(() => undefined);
    const reason = new Error('enough');
    const call = checkConnector(engineAt(upstream.url), { signal: AbortSignal.abort(reason) });
    await assert.rejects(call, (error) => error === reason);
  });
});

test('a kind describes itself in JSON, with everything that callers may give', () => {
  const description = describeKind(toyKind);
  assert.deepEqual(JSON.parse(JSON.stringify(description)), description);
  const [things] = description.entities;
  assert.deepEqual(
    things?.actions.map(({ name, writes, params }) => [name, writes, params.map((p) => p.name)]),
    [
      ['list', false, ['per_page', 'starting_after', 'shape', 'limit']],
      ['get', false, ['thing_id', 'note']],
      ['create', true, ['shelf', 'name', 'dry_run']],
    ],
  );
  assert.deepEqual(
    things.record.map(({ name, type }) => `${name} ${type}`),
    ['id integer', 'seen_at integer?', 'parts array<integer>'],
  );
  assert.partialDeepStrictEqual(things.actions[2]?.params_schema, {
    required: ['shelf', 'name'],
    additionalProperties: false,
  });
});

function tokens(token: string) {
  return checkCredentials(toyKind, { ...CREDENTIALS, api_token: token });
}

/** A renewal that never comes. */
function waitInVain(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

function get(engine: ConnectorEngine, options: CallOptions = {}) {
  return engine.execute('things', 'get', { thing_id: '1' }, options);
}

function passwordOf(header = '') {
  return Buffer.from(header.slice(6), 'base64').toString().split(':')[1];
}

/** Walks an upstream that gives the records after a key. */
async function walkThings(total: number, params: object) {
  const ids = Array.from({ length: total }, (_, nth) => nth + 1);
  await using upstream = await startUpstream((response, _, { line }) => {
    const query = new URL(line.split(' ')[1] ?? '', 'http://x').searchParams;
    const after = Number(query.get('starting_after') ?? 0);
    const size = Number(query.get('page_size') ?? 3);
    const things = ids.filter((id) => id > after).slice(0, size);
    reply(response, 200, { page: { things: things.map((id) => ({ id })) } });
  });
  const records = await collect(engineAt(upstream.url).all('things', params));
  return { ids: records.map(({ id }) => id), requests: upstream.seen.length };
}

/** Walks an upstream like Zendesk's exports: the next page begins at the last event's time. */
async function walkEvents(times: readonly number[], limit: number) {
  await using upstream = await startUpstream((response, _, { line }) => {
    const query = new URL(line.split(' ')[1] ?? '', 'http://x').searchParams;
    const from = Number(query.get('start_time') ?? 0);
    const size = Number(query.get('limit') ?? 4);
    const events = times
      .map((at, id) => ({ id, at }))
      .filter(({ at }) => at >= from)
      .slice(0, size);
    const next = events.at(-1)?.at ?? from;
    reply(response, 200, {
      events,
      next_page: `https://elsewhere.example.com/events?start_time=${next}&limit=${size}&x=1`,
    });
  });
  const ids = new Set<unknown>();
  for await (const { id } of engineAt(upstream.url).all('events', { limit })) ids.add(id);
  return { ids, lines: upstream.seen.map(({ line }) => line) };
}
