import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUICK_SEARCH_MS } from '@patchbay/store';
import { QUICK_TIME_MS, QuickTime } from './quick-time.ts';

function quickTimeByHand() {
  /** `waited` is what the clock is ahead of the database. */
  const hand = { now: 0, waited: 0 };
  const quickTime = new QuickTime({
    clock: { monotonic: () => hand.now },
    searchedMs: () => hand.now - hand.waited,
  });
  /** Searches one after another, with pauses; what the last one had of quick time. */
  const search = (caller: string, times: number, { ms, pauseMs = 0 }: Spent): number => {
    let last = Number.NaN;
    for (let each = 0; each < times; each++) {
      const { quickMs, end } = quickTime.begin(caller);
      last = quickMs;
      hand.now += ms;
      end();
      hand.now += pauseMs;
    }
    return last;
  };
  return { hand, quickTime, search };
}

interface Spent {
  readonly ms: number;
  readonly pauseMs?: number;
}

test('who searches less than half of the time goes first, as long as one search does', () => {
  const { search } = quickTimeByHand();
  assert.equal(search('light', 100, { ms: 200, pauseMs: 300 }), QUICK_SEARCH_MS);
});

test('who searches all the time does not, in long searches or in many short ones', () => {
  const { search } = quickTimeByHand();
  assert.equal(search('gives up and asks again', 10, { ms: 300 }), 0);
  assert.ok(search('one after another', 300, { ms: 20 }) <= 10);
  assert.equal(search('somebody else', 1, { ms: 20 }), QUICK_SEARCH_MS);
});

test('several searches at once count as much as one after another', () => {
  const { hand, quickTime } = quickTimeByHand();
  const searches = [1, 2, 3].map(() => quickTime.begin('many'));
  hand.now += 400;
  for (const { end } of searches) end();
  assert.equal(quickTime.begin('many').quickMs, 0);
});

test('what was used up comes back in twice the time', () => {
  const { hand, quickTime, search } = quickTimeByHand();
  search('heavy', 10, { ms: 1_000 });
  hand.now += QUICK_SEARCH_MS;
  assert.equal(quickTime.begin('heavy').quickMs, QUICK_SEARCH_MS / 2);
  hand.now += 2 * QUICK_TIME_MS;
  assert.equal(quickTime.begin('heavy').quickMs, QUICK_SEARCH_MS);
});

test('what quick searches wait for others is not theirs', () => {
  const { hand, quickTime } = quickTimeByHand();
  for (let each = 0; each < 100; each++) {
    const { quickMs, end } = quickTime.begin('waits');
    assert.equal(quickMs, QUICK_SEARCH_MS);
    hand.now += 2_000;
    hand.waited += 1_900;
    end();
  }
});

test('a long search is charged for all its time from when it is one', () => {
  const { hand, quickTime } = quickTimeByHand();
  const { onLong, end } = quickTime.begin('heavy');
  hand.now += 5 * QUICK_TIME_MS;
  hand.waited += 5 * QUICK_TIME_MS - QUICK_SEARCH_MS;
  onLong();
  hand.now += QUICK_TIME_MS - QUICK_SEARCH_MS;
  hand.waited += QUICK_TIME_MS - QUICK_SEARCH_MS;
  onLong();
  end();
  assert.equal(quickTime.begin('heavy').quickMs, 0);
});

test('a search that is given up is charged for all its time', () => {
  const { hand, quickTime } = quickTimeByHand();
  const { giveUp } = quickTime.begin('impatient');
  hand.now += QUICK_TIME_MS;
  hand.waited += QUICK_TIME_MS;
  giveUp();
  assert.equal(quickTime.begin('impatient').quickMs, 0);
});
