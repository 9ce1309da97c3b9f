import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';
import type { Access } from '../access/access.ts';
import { Admission, holderOf } from './admission.ts';
import {
  fittingHeap,
  LAPTOP_LIMITS,
  limitsWith,
  SERVER_LIMITS,
  type AdmissionLimits,
} from './limits.ts';

const LIMITS: AdmissionLimits = {
  callsPerMinute: undefined,
  callsAtOnce: 4,
  callsOfApplication: 3,
  callsOfUser: 2,
  callsOfApplicationWhenBusy: 1,
  callsOfUserWhenBusy: 1,
  largeBodies: 3,
  largeBodiesOfApplication: 2,
  largeBodiesOfUser: 1,
  callsWaitingOfCaller: 2,
  searchesAtOnce: 2,
  searchesOfApplication: 2,
  searchesOfUser: 1,
  searchesWaitingOfUser: 1,
  strangersAtOnce: 4,
  strangersAtUpstreams: 1,
  strangersWaitingOfAddress: 2,
  strangersWaiting: 3,
  strangersLargeBodies: 3,
  pageBytes: 150,
  pageBytesOfCaller: 100,
  unreadBytes: 150,
  unreadBytesOfCaller: 100,
  largeAnswerBytes: 10,
  largeAnswerTimeoutMs: 1_000,
  downloadsOfConnector: 2,
  downloadsOfCaller: 3,
  watchersOfToken: 1,
};
const NEVER = new AbortController().signal;
const patiently = () => undefined;

function admissionWith(limits: Partial<AdmissionLimits> = {}): Admission {
  return new Admission({ ...LIMITS, ...limits }, systemClock);
}

function userOf(externalUserId: string, applicationId = 'a'): Access {
  return {
    type: 'scoped',
    applicationId,
    organizationId: 'o',
    externalUserId,
    access: 'read',
    connectorIds: undefined,
  };
}

const APPLICATION = { type: 'application', applicationId: 'a', organizationId: 'o' } as const;
const ONE = userOf('1');
const read = (sizeBytes: number) => ({ sizeBytes, isRepeatable: true });

function assertRefused(run: () => unknown, retryAfterSeconds: number): void {
  assert.throws(run, (error) => {
    assert.ok(isConnectorError(error, 'rate_limited'));
    assert.equal(error.details.retryAfterSeconds, retryAfterSeconds);
    return true;
  });
}

/** Lets a call in that has not to wait. */
function enter(admission: Admission, access: Access): () => void {
  const entered = admission.enter(access, mustNotWait);
  if (entered instanceof Promise) throw new Error('it waits');
  return entered;
}

function mustNotWait(): never {
  throw new Error('it has to wait');
}

test('a caller has so many calls under way, and all have so many; more wait for their turn', async () => {
  const admission = admissionWith();
  const release = enter(admission, ONE);
  enter(admission, ONE);
  enter(admission, APPLICATION);
  const leaves: ((reason: Error) => void)[] = [];
  const waiting = [ONE, ONE, APPLICATION].map((access) =>
    Promise.resolve(admission.enter(access, (leave) => leaves.push(leave))),
  );
  assertRefused(() => admission.enter(ONE, mustNotWait), 1);
  enter(admission, userOf('2', 'b'));
  const late = Promise.resolve(admission.enter(userOf('3', 'c'), patiently));
  release();
  release();
  await late;
  for (const leave of leaves) leave(new Error('gone'));
  const ends = await Promise.allSettled(waiting);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
});

test('calls with large bodies are fewer, of an application and of all; others do not wait for them', async () => {
  const admission = admissionWith({ callsAtOnce: 20, callsOfApplication: 10 });
  const of = (application: string, wait: () => void = mustNotWait) =>
    admission.enter({ ...APPLICATION, applicationId: application }, wait, true);
  const releases = [of('a'), of('a')];
  const waiting = Promise.resolve(of('a', patiently));
  enter(admission, ONE);
  assert.ok(!(of('b') instanceof Promise));
  assert.ok(of('c', patiently) instanceof Promise, 'of all there are three');
  assert.ok(admission.enter(ONE, patiently, true) instanceof Promise);
  for (const release of releases) if (!(release instanceof Promise)) release();
  await waiting;
});

test('who has left a little of an answer is not refused for all that others have left', () => {
  const admission = admissionWith({ callsOfUser: 10, unreadBytesOfCaller: 1_000 });
  const leave = (who: Access, sizeBytes: number) =>
    admission.holdAnswer(holderOf(who), { sizeBytes, isRepeatable: false });
  const release = leave(userOf('2'), LIMITS.unreadBytes);
  leave(ONE, LIMITS.largeAnswerBytes);
  enter(admission, ONE);
  assertRefused(() => admission.enter(userOf('2'), mustNotWait), 5);
  release();
  enter(admission, userOf('2'));
});

test('calls are counted by application', () => {
  const admission = admissionWith({ callsPerMinute: 1 });
  const first = admission.countCall(ONE);
  assert.equal(first?.headers['ratelimit-remaining'], '0');
  assert.equal(first.error, undefined);
  assert.ok(isConnectorError(admission.countCall(userOf('2'))?.error, 'rate_limited'));
});

test('an external user cannot use up the calls that its application may make, however often it asks', () => {
  const admission = admissionWith({ callsPerMinute: 8 });
  const countsOf = (access: Access, times: number) =>
    Array.from({ length: times }, () => {
      const taken = admission.countCall(access);
      return taken?.error === undefined
        ? taken?.headers['ratelimit-remaining']
        : taken.error.message;
    });
  assert.deepEqual(countsOf(ONE, 8), [
    '5',
    '4',
    '3',
    '2',
    '1',
    '0',
    ...Array.from({ length: 2 }, () => 'The external user may make 6 calls a minute.'),
  ]);
  assert.deepEqual(countsOf(userOf('2'), 1), ['1']);
  const refused = 'The application may make 8 calls a minute.';
  assert.deepEqual(countsOf(APPLICATION, 2), ['0', refused]);
  assert.deepEqual(
    countsOf(userOf('2'), 1),
    [refused],
    'the limit that is told is the one that is met',
  );
});

test('searches of a user wait for one another, and no more than so many', async () => {
  const admission = admissionWith();
  const order: string[] = [];
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const search = (name: string, externalUserId: string, until = Promise.resolve()) =>
    admission.search({ applicationId: 'a', externalUserId }, NEVER, async () => {
      order.push(name);
      await until;
      return name;
    });
  const first = search('first', '1', end);
  const second = search('second', '1');
  await assert.rejects(search('third', '1'), (error) => isConnectorError(error, 'rate_limited'));
  assert.equal(await search('other', '2'), 'other');
  resolve();
  assert.deepEqual(await Promise.all([first, second]), ['first', 'second']);
  assert.deepEqual(order, ['first', 'other', 'second']);
});

test('a search that fails gives its turn back', async () => {
  const admission = admissionWith();
  const user = { applicationId: 'a', externalUserId: '1' };
  const failure = new Error('no');
  await assert.rejects(
    admission.search(user, NEVER, () => Promise.reject(failure)),
    failure,
  );
  assert.equal(await admission.search(user, NEVER, () => Promise.resolve('found')), 'found');
});

test('what arrives of pages is counted past the first bytes, until they are made', () => {
  const admission = admissionWith();
  const large = admission.readPage(ONE);
  large.take(10);
  large.take(5_000);
  const small = admission.readPage(ONE);
  small.take(10);
  assertRefused(() => small.take(1), 1);
  const others = admission.readPage(userOf('2', 'b'));
  others.take(10);
  assertRefused(() => others.take(1), 1);
  large.release();
  others.take(60);
  small.take(90);
  assertRefused(() => small.take(1), 1);
});

test('a caller gets no more answers than its room, until it has taken one', () => {
  const admission = admissionWith();
  const caller = holderOf(ONE);
  const release = admission.holdAnswer(caller, read(60));
  enter(admission, ONE)();
  assertRefused(() => admission.holdAnswer(caller, read(41)), 5);
  admission.holdAnswer(caller, read(40));
  assertRefused(() => enter(admission, ONE), 5);
  release();
  release();
  enter(admission, ONE)();
  assertRefused(() => admission.holdAnswer(caller, read(61)), 5);
  admission.holdAnswer(caller, read(60));
});

test('where all room is taken, callers with nothing under way still ask, for what is not large', () => {
  const admission = admissionWith();
  const others = userOf('2', 'b');
  const late = userOf('3', 'c');
  admission.holdAnswer(holderOf(ONE), read(90));
  const release = admission.holdAnswer(holderOf(others), read(60));
  assertRefused(() => enter(admission, ONE), 5);
  assertRefused(() => enter(admission, others), 5);
  enter(admission, late);
  assertRefused(() => admission.holdAnswer(holderOf(late), read(11)), 5);
  release();
  admission.holdAnswer(holderOf(late), read(11));
});

test('the users of one application leave room for those of others, however many they are', () => {
  const admission = admissionWith({ unreadBytes: 200, pageBytes: 200 });
  const others = userOf('2', 'b');
  const release = admission.holdAnswer(holderOf(ONE), read(90));
  admission.holdAnswer(holderOf(userOf('2')), read(60));
  assertRefused(() => admission.holdAnswer(holderOf(userOf('3')), read(11)), 5);
  assertRefused(() => enter(admission, userOf('2')), 5);
  enter(admission, userOf('3'));
  admission.holdAnswer(holderOf(others), read(50));
  release();
  admission.holdAnswer(holderOf(userOf('3')), read(11));
  for (const user of ['1', '2']) admission.readPage(userOf(user)).take(75);
  assertRefused(() => admission.readPage(userOf('3')).take(11), 1);
  admission.readPage(others).take(50);
});

test('an answer that is alone may be larger than all room, and that of a write goes out anyway', () => {
  const admission = admissionWith();
  admission.holdAnswer(holderOf(ONE), read(1_000));
  admission.holdAnswer(holderOf(ONE), { sizeBytes: 1_000, isRepeatable: false });
  assertRefused(() => enter(admission, ONE), 5);
});

test('calls of the users of one application leave turns for those of others, who go first', async () => {
  const admission = admissionWith({ callsAtOnce: 5, callsOfApplication: 4, callsOfUser: 4 });
  const releases = ['1', '2', '3', '4'].map((user) => enter(admission, userOf(user)));
  const begun: string[] = [];
  const come = async (user: string, application: string) => {
    const release = await admission.enter(userOf(user, application), patiently);
    begun.push(application);
    return release;
  };
  const waiting = [come('5', 'a'), come('6', 'a')];
  enter(admission, userOf('1', 'b'));
  const late = come('2', 'b');
  for (const release of releases.slice(0, 2)) release();
  await Promise.all([late, waiting[0]]);
  assert.deepEqual(begun, ['b', 'a']);
  releases[2]?.();
  await waiting[1];
});

test('a connector has so many downloads at once, and so has a caller', () => {
  const admission = admissionWith();
  const release = admission.openDownload(ONE, 'a');
  admission.openDownload(ONE, 'a');
  assertRefused(() => admission.openDownload(ONE, 'a'), 5);
  admission.openDownload(ONE, 'b');
  assertRefused(() => admission.openDownload(ONE, 'b'), 5);
  admission.openDownload(userOf('2'), 'b');
  release();
  release();
  admission.openDownload(ONE, 'a');
  assertRefused(() => admission.openDownload(userOf('2'), 'a'), 5);
});

test('a caller has fewer calls under way while the process is busy, and more as soon as it is not', async () => {
  let share = 0;
  const admission = new Admission(LIMITS, systemClock, {
    headroom: { share: () => share, inRound: () => Infinity },
  });
  // Nobody is alone here.
  enter(admission, userOf('3'))();
  const release = enter(admission, ONE);
  const waiting = Promise.resolve(admission.enter(ONE, patiently));
  enter(admission, userOf('2'));
  assert.deepEqual(admission.state().calls, { running: 2, waiting: 1 });
  share = 1;
  const second = await waiting;
  assert.deepEqual(admission.state().calls, { running: 3, waiting: 0 });
  share = 0;
  release();
  const third = Promise.resolve(admission.enter(ONE, patiently));
  second();
  await third;
});

test('what the operator does in the place of an application is none of that application’s', () => {
  const inPlace = { ...APPLICATION, isByOperator: true } as const;
  assert.deepEqual(holderOf(inPlace), holderOf({ type: 'operator', isKey: true }));
  const admission = admissionWith();
  for (const connector of ['a', 'b', 'c']) admission.openDownload(inPlace, connector);
  assertRefused(() => admission.openDownload(inPlace, 'd'), 5);
  admission.openDownload(APPLICATION, 'd');
});

test('a caller that is alone has all its turns, however busy the process is', () => {
  const admission = new Admission(LIMITS, systemClock, {
    headroom: { share: () => 0, inRound: () => Infinity },
  });
  const releases = [enter(admission, ONE), enter(admission, ONE)];
  enter(admission, userOf('2'));
  for (const release of releases) release();
  const later = admission.enter(ONE, patiently);
  assert.ok(later instanceof Promise, 'its turns last for this round');
});

test('of a caller that is alone more calls begin in a round than of many callers', async () => {
  const limits = { ...LIMITS, callsAtOnce: 100, callsOfUser: 100 };
  const admission = new Admission(limits, systemClock, {
    headroom: { share: () => 1, inRound: () => 2 },
  });
  for (let call = 0; call < 24; call++) enter(admission, ONE)();
  assert.ok(admission.enter(ONE, patiently) instanceof Promise);
  await new Promise((resolve) => setImmediate(resolve));
  enter(admission, userOf('2'));
  assert.ok(admission.enter(userOf('3'), patiently) instanceof Promise, 'nobody is alone now');
});

test('calls without a token have turns among themselves, by address', async () => {
  const admission = admissionWith();
  const begin = (address: string) => admission.enterStranger(address, 'database', patiently);
  const releases = [await begin('one'), await begin('one')];
  const begun: string[] = [];
  const wait = async (address: string) => {
    const release = await begin(address);
    begun.push(address);
    release();
  };
  const waiting = [wait('one'), wait('one')];
  await wait('other');
  assertRefused(() => begin('one'), 1);
  releases.push(await begin('other'), await begin('other'));
  waiting.push(wait('other'));
  assertRefused(() => begin('third'), 1);
  assert.deepEqual(admission.state().strangers, { running: 4, waiting: 3 });
  (await admission.enterStranger('one', 'upstream', patiently))();
  assert.ok(!(admission.enter(ONE, patiently) instanceof Promise), 'nobody else waits for them');
  for (const release of releases) release();
  await Promise.all(waiting);
  assert.deepEqual(begun.toSorted(), ['one', 'one', 'other', 'other']);
});

test('of large bodies without a token there are so many at once, of an address half of them', () => {
  const admission = admissionWith();
  const release = admission.takeLargeBody('one');
  admission.takeLargeBody('one');
  assertRefused(() => admission.takeLargeBody('one'), 1);
  admission.takeLargeBody('other');
  assertRefused(() => admission.takeLargeBody('other'), 1);
  release();
  admission.takeLargeBody('other');
});

test('addresses of one IPv6 network are one', () => {
  const admission = admissionWith();
  for (const address of ['2001:db8::1', '2001:db8::2']) admission.takeLargeBody(address);
  assertRefused(() => admission.takeLargeBody('2001:db8::3'), 1);
  admission.takeLargeBody('2001:db8:0:1::1');
});

test('a token has so many streams of sync events', () => {
  const admission = admissionWith();
  const release = admission.watch({ tokenId: 'one' });
  assertRefused(() => admission.watch({ tokenId: 'one' }), 1);
  admission.watch({ tokenId: 'other' });
  // The operator's key is no token, but counts as one.
  admission.watch({});
  assertRefused(() => admission.watch({}), 1);
  release();
  admission.watch({ tokenId: 'one' });
});

for (const [name, limits] of Object.entries({ LAPTOP_LIMITS, SERVER_LIMITS }))
  test(`by ${name}, nobody alone takes all turns, nor does the largest answer not fit`, () => {
    assert.ok(limits.searchesOfUser < limits.searchesAtOnce);
    assert.ok(limits.callsOfApplication < limits.callsAtOnce);
    assert.ok(limits.callsOfUser < limits.callsOfApplication);
    assert.ok(limits.callsOfUserWhenBusy < limits.callsOfUser);
    assert.ok(limits.callsOfApplicationWhenBusy < limits.callsOfApplication);
    assert.ok(limits.unreadBytesOfCaller >= 2 * 32 * 1024 * 1024);
    assert.ok(limits.unreadBytes <= 512 * 1024 * 1024);
  });

test('other calls and searches at once are others of each application, unless that is given, too', () => {
  assert.deepEqual(limitsWith(SERVER_LIMITS), fittingHeap(SERVER_LIMITS));
  assert.equal(limitsWith(SERVER_LIMITS, { callsAtOnce: 10 }).callsOfApplication, 8);
  assert.equal(limitsWith(SERVER_LIMITS, { searchesAtOnce: 1 }).searchesOfApplication, 1);
  assert.equal(limitsWith(SERVER_LIMITS, { searchesAtOnce: 16 }).searchesOfApplication, 12);
  const given = { callsAtOnce: 10, callsOfApplication: 9 };
  assert.equal(limitsWith(SERVER_LIMITS, given).callsOfApplication, 9);
});
