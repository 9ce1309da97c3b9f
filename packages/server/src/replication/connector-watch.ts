import type { Clock } from '@patchbay/connectors';
import type { ConnectorRow } from '@patchbay/store';
import type { Logger } from '../log.ts';
import { isCopyingStopped } from '../operations/freshness.ts';
import type { LiveConnector } from '../operations/live-connector.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';
import { StoppedError, type StopReason } from './stopped.ts';
import type { Turn } from './turns.ts';

/** Whether an application has been revoked, as it was a few seconds ago at most. */
export type IsRevoked = (applicationId: string) => boolean | Promise<boolean>;

interface ConnectorWatchParts {
  readonly live: Pick<LiveConnectors, 'find'>;
  readonly isRevoked: IsRevoked;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly turn: Pick<Turn, 'isResting'>;
}

/** The cache of live connectors answers, so looking costs next to nothing. */
const LOOK_EVERY_MS = 250;
/** Of connectors that rest there may be many. */
const LOOK_AT_RESTING_EVERY_MS = 1_000;

/** Looks after a connector while it is worked on: `signal` aborts once the work has to end. */
export class ConnectorWatch implements Disposable {
  readonly #parts: ConnectorWatchParts;
  readonly #seen: LiveConnector;
  readonly #ending = new AbortController();
  #cancelLook: () => void;

  constructor(parts: ConnectorWatchParts, seen: LiveConnector) {
    this.#parts = parts;
    this.#seen = seen;
    this.#cancelLook = this.#lookLater();
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Ends the work for a reason that was learnt elsewhere; of several the first stays. */
  end(reason: unknown): void {
    this.#cancelLook();
    this.#ending.abort(reason);
  }

  [Symbol.dispose](): void {
    this.#cancelLook();
    this.#cancelLook = NOTHING;
  }

  #lookLater(): () => void {
    const { clock, turn } = this.#parts;
    const delayMs = turn.isResting ? LOOK_AT_RESTING_EVERY_MS : LOOK_EVERY_MS;
    return clock.after(delayMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { live, isRevoked, logger } = this.#parts;
    const { id, applicationId } = this.#seen.row;
    try {
      if (await isRevoked(applicationId)) return this.end(new StoppedError('revoked'));
      const reason = reasonToStop(this.#seen, await live.find(id));
      if (reason !== undefined) return this.end(new StoppedError(reason));
    } catch (err) {
      logger.warn({ err, connector_id: id }, 'A connector could not be looked up.');
    }
    if (this.#cancelLook === NOTHING || this.signal.aborted) return;
    this.#cancelLook = this.#lookLater();
  }
}

const NOTHING = (): void => undefined;

/** Why the work on a connector cannot go on as it began, if so. */
export function reasonToStop(
  seen: LiveConnector,
  now: LiveConnector | undefined,
): StopReason | undefined {
  if (now === undefined) return 'deleted';
  if (isCopyingStopped(now.row)) return 'paused';
  if (now.row.state === 'reauth_required') return 'reauth_required';
  return isMadeAlike(seen.row, now.row) ? undefined : 'changed';
}

/** Whether a copy that was begun with the one can be gone on with, with the other. */
function isMadeAlike(a: ConnectorRow, b: ConnectorRow): boolean {
  return (
    a.credentialsEpoch === b.credentialsEpoch &&
    JSON.stringify(a.config) === JSON.stringify(b.config) &&
    JSON.stringify(a.replicationConfig) === JSON.stringify(b.replicationConfig)
  );
}
