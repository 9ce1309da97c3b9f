import type { Store } from '@patchbay/store';
import type { Logger } from './log.ts';

const BEAT_EVERY_MS = 5_000;

/** Reports this process alive, so that others know which writes are lost. */
export async function startHeartbeat(
  store: Pick<Store, 'instances'>,
  instanceId: string,
  logger: Logger,
): Promise<{ stop(): Promise<void> }> {
  await store.instances.beat(instanceId);
  const timer = setInterval(() => {
    store.instances.beat(instanceId).catch((err: unknown) => {
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
