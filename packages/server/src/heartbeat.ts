import type { InstanceFacts, Store } from '@patchbay/store';
import type { Logger } from './log.ts';

const BEAT_EVERY_MS = 5_000;

export interface HeartbeatParts {
  readonly store: Pick<Store, 'instances'>;
  readonly instanceId: string;
  /** What others know of it. */
  readonly facts: InstanceFacts;
  readonly logger: Logger;
}

/** Reports this process alive, so that others know which writes are lost, whether anybody copies, and who has which master keys. */
export async function startHeartbeat({
  store,
  instanceId,
  facts,
  logger,
}: HeartbeatParts): Promise<{ stop(): Promise<void> }> {
  const beat = () => store.instances.beat(instanceId, facts);
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
