import type { TestEvent } from 'node:test/reporters';

/** Counts what a run of tests skipped, by the reason that the tests give. */
export class LeftOut {
  readonly #counts = new Map<string, { suites: number; tests: number }>();

  /** Takes notice of an event, if it is about something skipped. */
  add(event: TestEvent): void {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') return;
    const { skip, details } = event.data;
    if (skip === undefined || skip === false) return;
    const reason = typeof skip === 'string' && skip !== '' ? skip : 'no reason given';
    const count = this.#counts.get(reason) ?? { suites: 0, tests: 0 };
    // Nobody knows how many tests are in a suite that was skipped.
    count[details.type === 'suite' ? 'suites' : 'tests'] += 1;
    this.#counts.set(reason, count);
  }

  /** A line for each reason, such as `skipped 2 suites and 1 test: no browser`. */
  lines(): readonly string[] {
    return [...this.#counts].map(([reason, { suites, tests }]) => {
      const counted = [counting(suites, 'suite'), counting(tests, 'test')].filter(
        (each) => each !== '',
      );
      return `skipped ${counted.join(' and ')}: ${reason}`;
    });
  }
}

function counting(count: number, noun: string): string {
  if (count === 0) return '';
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
