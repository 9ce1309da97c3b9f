import type { Store } from '@patchbay/store';
import type { Logger } from './log.ts';

const BEAT_EVERY_MS = 5_000;

export interface HeartbeatParts {
  readonly store: Pick<Store, 'instances'>;
  readonly instanceId: string;
  /** It copies records. */
  readonly isWorker: boolean;
  readonly logger: Logger;
}

/** Reports this process alive, so that others know which writes are lost, and whether anybody copies. */
export async function startHeartbeat({
  store,
  instanceId,
  isWorker,
  logger,
}: HeartbeatParts): Promise<{ stop(): Promise<void> }> {
  const beat = () => store.instances.beat(instanceId, { isWorker });
  await beat();
  const timer = setInterval(() => {
    beat().catch((err: unknown) => {
      logger.warn({ err }, 'This process could not report itself alive.');
    });
  }, BEAT_EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      try {
        await store.instances.remove(instanceId);
      } catch (err) {
        logger.warn({ err }, 'This process could not sign off; others notice within seconds.');
      }
    },
  };
}
