import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as connect from '../src/connect.ts';
import {
  openConnect,
  PopupBlockedError,
  readConnectReturn,
  type PolledSession,
} from '../src/connect.ts';
import { makeFakeWindow, PAGE, type FakeWindow } from './support/fake-window.ts';

const URL_OF_PAGE = `${PAGE}/connect#a-secret`;
const SUCCESS = {
  type: 'patchbay:connect',
  session_id: 'a-session',
  status: 'unconfirmed',
  connector_id: 'a-connector',
  error: null,
};
const RESULT = {
  status: 'unconfirmed',
  sessionId: 'a-session',
  connectorId: 'a-connector',
  error: null,
};
const CLOSED = { status: 'closed', sessionId: null, connectorId: null, error: null };
const DECLINED = { code: 'access_denied', message: 'Access was declined.' };

/** What a page gets whose backend makes no session. */
function noAddress(): Promise<string> {
  return Promise.reject(new Error('no session'));
}

test('the entry point promises these names, and imports nothing', async () => {
  assert.deepEqual(Object.keys(connect).toSorted(), [
    'PopupBlockedError',
    'openConnect',
    'readConnectReturn',
  ]);
  const source = await readFile(join(import.meta.dirname, '../src/connect.ts'), 'utf8');
  assert.doesNotMatch(source, /^(?:import|export .* from)\b|\bimport\(|\brequire\(/m);
});

describe('a pop-up', () => {
  test('opens in the call itself, in the middle of the window, and goes to the page', async () => {
    const window = makeFakeWindow();
    const result = openConnect(URL_OF_PAGE, { window });
    assert.deepEqual(window.opened, [
      'about:blank _blank popup,width=480,height=720,left=500,top=140',
    ]);
    window.at(3_000, () => window.send({ data: SUCCESS }));
    assert.deepEqual(await result, RESULT);
    assert.deepEqual(window.popup.visited, [URL_OF_PAGE]);
    assert.equal(window.listeners(), 0);
    // The page goes on to show the first copy.
    assert.equal(window.popup.closed, false);
  });

  test('opens before an address that is still to come', async () => {
    const window = makeFakeWindow();
    const url = Promise.withResolvers<string>();
    const result = openConnect(url.promise, { window });
    assert.equal(window.opened.length, 1);
    // Nobody speaks for the page before it is known where that is.
    window.send({ data: SUCCESS, origin: 'about:blank' });
    url.resolve(URL_OF_PAGE);
    window.at(1_000, () => window.send({ data: SUCCESS }));
    assert.deepEqual(await result, RESULT);
  });

  test('closes again where no address comes', async () => {
    const window = makeFakeWindow();
    const failure = new Error('no session');
    await assert.rejects(openConnect(Promise.reject(failure), { window }), failure);
    assert.equal(window.popup.closed, true);
    assert.equal(window.listeners(), 0);
  });

  test('that the browser blocks is an error, which says what would work', async () => {
    const window = makeFakeWindow();
    window.isBlocking = true;
    await assert.rejects(openConnect(URL_OF_PAGE, { window }), (error) => {
      assert.ok(error instanceof PopupBlockedError);
      assert.equal(error.code, 'popup_blocked');
      return /mode: "redirect"/.test(error.message);
    });
    assert.deepEqual(window.visited, []);
  });

  test('that does not open leaves no rejection of its address unhandled', async () => {
    const window = makeFakeWindow();
    window.isBlocking = true;
    await assert.rejects(openConnect(noAddress(), { window }), PopupBlockedError);
    const signal = AbortSignal.abort(new Error('changed their mind'));
    await assert.rejects(openConnect(noAddress(), { window, signal }), /changed their mind/);
    // The runner fails a test that leaves one.
    await new Promise(setImmediate);
  });

  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'about:blank', 'not an address'])
    test(`does not open at ${url}`, async () => {
      const window = makeFakeWindow();
      await assert.rejects(openConnect(url, { window }), TypeError);
      assert.deepEqual(window.opened, []);
      await assert.rejects(openConnect(Promise.resolve(url), { window }), TypeError);
      assert.deepEqual(window.popup.visited, []);
      assert.equal(window.popup.closed, true);
      await assert.rejects(openConnect(url, { window, mode: 'redirect' }), TypeError);
      assert.deepEqual(window.visited, []);
    });
});

describe('messages', () => {
  const foreign: readonly (readonly [what: string, event: Parameters<FakeWindow['send']>[0]])[] = [
    ['another origin', { data: SUCCESS, origin: 'https://evil.example.com' }],
    ['an origin that begins alike', { data: SUCCESS, origin: `${PAGE}.evil.example.com` }],
    ['another window of the same origin', { data: SUCCESS, source: {} }],
    ['no window', { data: SUCCESS, source: null }],
    ['the page, but of another type', { data: { ...SUCCESS, type: 'something' } }],
    ['the page, but no object', { data: 'patchbay:connect' }],
    ['the page, but null', { data: null }],
    ['the page, of a status that is no end', { data: { ...SUCCESS, status: 'open' } }],
    ['the page, of a status that is none', { data: { ...SUCCESS, status: 7 } }],
  ];
  for (const [what, event] of foreign)
    test(`from ${what} end nothing`, async () => {
      const window = makeFakeWindow();
      const result = openConnect(URL_OF_PAGE, { window });
      window.at(1_000, () => window.send(event));
      window.at(2_000, () => window.send({ data: { ...SUCCESS, connector_id: 'the-true-one' } }));
      assert.deepEqual(await result, { ...RESULT, connectorId: 'the-true-one' });
    });

  test('after a failure the person may try again', async () => {
    const window = makeFakeWindow();
    const result = openConnect(URL_OF_PAGE, { window });
    const failed = { ...SUCCESS, status: 'open', connector_id: null, error: DECLINED };
    window.at(1_000, () => window.send({ data: failed }));
    window.at(9_000, () => window.send({ data: SUCCESS }));
    assert.deepEqual(await result, RESULT);
  });

  test('and who closes it instead is told why nothing was connected', async () => {
    const window = makeFakeWindow();
    const result = openConnect(URL_OF_PAGE, { window });
    const failed = { ...SUCCESS, status: 'open', connector_id: null, error: DECLINED };
    window.at(1_000, () => window.send({ data: failed }));
    window.at(9_000, () => window.popup.close());
    assert.deepEqual(await result, { ...CLOSED, sessionId: 'a-session', error: DECLINED });
  });

  test('also where the session, which is polled then, has heard nothing of it', async () => {
    const window = makeFakeWindow();
    window.hasFocus = true;
    const result = openConnect(URL_OF_PAGE, {
      window,
      poll: async () => ({ status: 'open', error: null }),
    });
    const left = { ...SUCCESS, status: 'open', connector_id: null, error: DECLINED };
    window.at(1_000, () => {
      window.send({ data: left });
      window.popup.close();
    });
    assert.deepEqual(await result, { ...CLOSED, sessionId: 'a-session', error: DECLINED });
  });
});

describe('a pop-up that seems closed', () => {
  test('without poll is closed, once its last message had time to come', async () => {
    const window = makeFakeWindow();
    const result = openConnect(URL_OF_PAGE, { window });
    window.at(5_000, () => window.popup.close());
    assert.deepEqual(await result, CLOSED);
    assert.equal(window.listeners(), 0);
    const other = makeFakeWindow();
    const late = openConnect(URL_OF_PAGE, { window: other });
    other.at(5_000, () => {
      other.popup.close();
      other.at(5_100, () => other.send({ data: SUCCESS }));
    });
    assert.deepEqual(await late, RESULT);
  });

  test('is polled while the person is away, however long, until it is confirmed elsewhere', async () => {
    const window = makeFakeWindow();
    const statuses = [
      [300_000, { status: 'open', error: DECLINED }],
      [600_000, { status: 'unconfirmed' }],
      [Infinity, { id: 'a-session', status: 'succeeded' }],
    ] as const;
    const poll = async (): Promise<PolledSession> =>
      statuses.find(([until]) => window.now < until)?.[1] ?? assert.fail();
    const result = openConnect(URL_OF_PAGE, { window, poll });
    window.at(1_000, () => window.popup.close());
    assert.deepEqual(await result, { ...RESULT, status: 'succeeded', connectorId: null });
    assert.ok(window.now >= 600_000);
  });

  test('that nobody confirms elsewhere is unconfirmed, and has no connector to confirm it with', async () => {
    const window = makeFakeWindow();
    window.hasFocus = true;
    // A backend that tells too much.
    const session = { id: 'a-session', status: 'unconfirmed', connectorId: 'c', connector_id: 'c' };
    const result = openConnect(URL_OF_PAGE, { window, poll: async () => session });
    window.popup.close();
    assert.deepEqual(await result, { ...RESULT, connectorId: null });
  });

  test('is not polled before', async () => {
    const window = makeFakeWindow();
    let polls = 0;
    const poll = async (): Promise<PolledSession> => ({ status: `open ${++polls}` });
    const result = openConnect(URL_OF_PAGE, { window, poll });
    window.at(60_000, () => window.send({ data: SUCCESS }));
    assert.deepEqual(await result, RESULT);
    assert.equal(polls, 0);
  });

  test('is closed when the person has come back to stay, and the session is open', async () => {
    const window = makeFakeWindow();
    let polls = 0;
    const poll = async (): Promise<PolledSession> => {
      // A look at the page in between is no coming back.
      window.hasFocus = ++polls !== 3;
      return { id: 'a-session', status: 'open', error: DECLINED };
    };
    const result = openConnect(URL_OF_PAGE, { window, poll });
    window.popup.close();
    assert.deepEqual(await result, { ...CLOSED, sessionId: 'a-session', error: DECLINED });
    assert.equal(polls, 6);
  });

  test('ends with the session', async () => {
    const window = makeFakeWindow();
    const result = openConnect(URL_OF_PAGE, {
      window,
      poll: async () => ({ id: 'a-session', status: 'expired' }),
    });
    window.popup.close();
    assert.deepEqual(await result, { ...CLOSED, status: 'expired', sessionId: 'a-session' });
  });

  test('polls again after a failure, and gives up after five in a row', async () => {
    const window = makeFakeWindow();
    const failure = new Error('no connection');
    let polls = 0;
    const poll = async (): Promise<PolledSession> => {
      if (++polls === 3) return { status: 'open' };
      throw failure;
    };
    const result = openConnect(URL_OF_PAGE, { window, poll });
    window.popup.close();
    await assert.rejects(result, failure);
    assert.equal(polls, 8);
    assert.equal(window.listeners(), 0);
  });
});

describe('signal', () => {
  const reason = new Error('given up');

  test('closes the pop-up, and rejects with its reason', async () => {
    const window = makeFakeWindow();
    const stop = new AbortController();
    const result = openConnect(URL_OF_PAGE, { window, signal: stop.signal });
    window.at(2_000, () => stop.abort(reason));
    await assert.rejects(result, reason);
    assert.equal(window.popup.closed, true);
    assert.equal(window.listeners(), 0);
  });

  test('also before the address is known, and while it is polled', async () => {
    const stop = new AbortController();
    const window = makeFakeWindow();
    const waiting = openConnect(new Promise<string>(() => undefined), {
      window,
      signal: stop.signal,
    });
    const other = makeFakeWindow();
    const polling = openConnect(URL_OF_PAGE, {
      window: other,
      signal: stop.signal,
      poll: async () => ({ status: 'open' }),
    });
    other.popup.close();
    other.at(60_000, () => stop.abort(reason));
    await assert.rejects(waiting, reason);
    await assert.rejects(polling, reason);
    assert.equal(window.popup.closed, true);
  });

  test('that has aborted opens nothing', async () => {
    const window = makeFakeWindow();
    const signal = AbortSignal.abort(reason);
    await assert.rejects(openConnect(URL_OF_PAGE, { window, signal }), reason);
    await assert.rejects(openConnect(URL_OF_PAGE, { window, signal, mode: 'redirect' }), reason);
    const stop = new AbortController();
    const late = openConnect(Promise.resolve(URL_OF_PAGE), {
      window,
      signal: stop.signal,
      mode: 'redirect',
    });
    stop.abort(reason);
    await assert.rejects(late, reason);
    assert.deepEqual([...window.opened, ...window.visited], []);
  });
});

describe('a redirect', () => {
  test('leaves the page; who comes back by the Back button has connected nothing', async () => {
    const window = makeFakeWindow();
    const results: unknown[] = [];
    const result = openConnect(Promise.resolve(URL_OF_PAGE), { window, mode: 'redirect' });
    const done = result.then((value) => results.push(value));
    await new Promise(setImmediate);
    assert.deepEqual(window.visited, [URL_OF_PAGE]);
    assert.deepEqual(window.opened, []);
    window.show(false);
    await new Promise(setImmediate);
    assert.deepEqual(results, []);
    window.show(true);
    await done;
    assert.deepEqual(results, [CLOSED]);
    assert.equal(window.listeners(), 0);
  });

  const rows: readonly (readonly [query: string, result: unknown])[] = [
    ['session_id=a-session&connector_id=a-connector&status=unconfirmed', RESULT],
    [
      'session_id=a-session&connector_id=c&status=succeeded',
      { ...RESULT, status: 'succeeded', connectorId: 'c' },
    ],
    [
      'session_id=s&error=access_denied',
      { ...CLOSED, sessionId: 's', error: { code: 'access_denied', message: 'access_denied' } },
    ],
    [
      'session_id=s&status=expired&error=session_expired&error_description=Too%20late.',
      {
        ...CLOSED,
        status: 'expired',
        sessionId: 's',
        error: { code: 'session_expired', message: 'Too late.' },
      },
    ],
    ['session_id=s&status=nonsense', { ...CLOSED, sessionId: 's' }],
    ['page=2', null],
  ];
  for (const [query, result] of rows)
    test(`and comes back with ?${query}`, () => {
      assert.deepEqual(readConnectReturn(`https://app.example.com/settings?${query}`), result);
    });
});
