import type { Clock } from '@patchbay/connectors';
import { untilAborted } from '@patchbay/connectors/engine';
import type { CheckResult, ConnectorEngine } from '@patchbay/connectors/engine';
import { CallAbortedError } from './active-calls.ts';
import type { LiveConnector } from './live-connector.ts';

interface SharedCheck {
  readonly report: Promise<CheckResult>;
  readonly controller: AbortController;
  waiting: number;
  /** What it came to, once it has ended, and when that was on the monotonic clock. */
  ended?: { readonly at: number; readonly report: CheckResult };
}

interface CheckRequest {
  readonly signal: AbortSignal;
  /** Whoever has just changed something does not want to hear what was before. */
  readonly isAnew?: boolean;
  readonly run: (signal: AbortSignal) => Promise<CheckResult>;
}

/**
 * Checks of connectors, of which each costs the upstream several requests: those asked for at once
 * share one, and those soon after get what it said.
 */
export class SharedChecks {
  readonly #clock: Clock;
  readonly #apartMs: number;
  /** Other credentials or another config make another engine. */
  readonly #byEngine = new WeakMap<ConnectorEngine, SharedCheck>();

  constructor(clock: Clock, apartMs: number) {
    this.#clock = clock;
    this.#apartMs = apartMs;
  }

  /** The report of a check that `run` makes, unless another does; it is ended when all who wait have left. */
  async check(connector: LiveConnector, request: CheckRequest): Promise<CheckResult> {
    const { engine } = connector;
    const { signal } = request;
    signal.throwIfAborted();
    const known = this.#byEngine.get(engine);
    const check =
      known !== undefined && this.#serves(known, connector, request)
        ? known
        : this.#begin(engine, request.run);
    check.waiting += 1;
    try {
      return await untilAborted(check.report, signal);
    } finally {
      check.waiting -= 1;
      if (check.waiting === 0 && check.ended === undefined) this.#abandon(engine, check);
    }
  }

  #serves(
    { ended }: SharedCheck,
    { row }: LiveConnector,
    { isAnew = false }: CheckRequest,
  ): boolean {
    if (ended === undefined) return true;
    const ageMs = this.#clock.monotonic() - ended.at;
    if (isAnew || ageMs >= this.#apartMs) return false;
    // What calls have shown since is not to be contradicted.
    return (refusalIn(ended.report) !== undefined) === (row.state === 'reauth_required');
  }

  #begin(engine: ConnectorEngine, run: CheckRequest['run']): SharedCheck {
    const controller = new AbortController();
    const check: SharedCheck = { report: run(controller.signal), controller, waiting: 0 };
    this.#byEngine.set(engine, check);
    void this.#keep(engine, check);
    return check;
  }

  async #keep(engine: ConnectorEngine, check: SharedCheck): Promise<void> {
    try {
      const report = await check.report;
      check.ended = { at: this.#clock.monotonic(), report };
    } catch {
      // Whoever waits gets the error; whoever comes later tries again.
      this.#abandon(engine, check);
    }
  }

  #abandon(engine: ConnectorEngine, check: SharedCheck): void {
    if (this.#byEngine.get(engine) === check) this.#byEngine.delete(engine);
    check.controller.abort(new CallAbortedError('client'));
  }
}

/** What the upstream says that takes the credentials for none of its own; `undefined` where it does not. */
export function refusalIn(report: CheckResult): string | undefined {
  const refused = report.entity_check_results.find(
    ({ error_code: code }) => code === 'credentials_rejected',
  );
  return refused && (refused.error_message ?? '');
}
