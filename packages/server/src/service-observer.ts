import type { UpstreamObserver } from '@patchbay/connectors/engine';
import type { AdmissionObserver } from './admission/admission-observer.ts';
import type { CallLog } from './call-log.ts';
import type { ObservedUpstream } from './observed-connector.ts';
import type { SyncObserver } from './replication/sync-observer.ts';

/** A request that is over, by what figures may know of it. */
export interface CountedCall {
  /** As the route declares it; `undefined` where no route has the path. */
  readonly route: string | undefined;
  readonly method: string;
  readonly durationMs: number;
  /** Whose token it brought; `undefined` of one without, and of the operator's. */
  readonly applicationId: string | undefined;
  readonly log: Pick<CallLog, 'connectorId' | 'kind' | 'entity' | 'action' | 'code'>;
}

/** Told of what a process does, for figures; it must not throw. */
export interface ServiceObserver extends AdmissionObserver, SyncObserver {
  readonly onCall: (call: CountedCall) => void;
  /** What watches the upstream of a connector. */
  readonly upstreamOf: (connector: ObservedUpstream) => UpstreamObserver;
}

/** One that is told some of it. */
export type ServiceListener = Partial<ServiceObserver>;

/** Tells all listeners, in their order. */
export function observeFor(listeners: readonly ServiceListener[]): ServiceObserver {
  return {
    onCall: (call) => {
      for (const each of listeners) each.onCall?.(call);
    },
    onAdmissionWait: (turn, durationMs) => {
      for (const each of listeners) each.onAdmissionWait?.(turn, durationMs);
    },
    onRefusal: (reason) => {
      for (const each of listeners) each.onRefusal?.(reason);
    },
    onRun: (connector, outcome, durationMs) => {
      for (const each of listeners) each.onRun?.(connector, outcome, durationMs);
    },
    onRecords: (connector, entity, records) => {
      for (const each of listeners) each.onRecords?.(connector, entity, records);
    },
    onRead: (connector, entity, code) => {
      for (const each of listeners) each.onRead?.(connector, entity, code);
    },
    upstreamOf: (connector) => {
      const watching = listeners.flatMap((each) => each.upstreamOf?.(connector) ?? []);
      return {
        onAttempt: (attempt) => {
          for (const each of watching) each.onAttempt(attempt);
        },
        onBudgetWait: (waited) => {
          for (const each of watching) each.onBudgetWait(waited);
        },
      };
    },
  };
}
