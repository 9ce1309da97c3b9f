import { setTimeout as wait } from 'node:timers/promises';
import type { TestService } from './start-test-service.ts';

/** What services need for {@link untilOneWaits}. */
export const TELLS_WAITING = { metrics: { port: 0 } };

/** Resolves once one call waits for its turn, by the metrics of the service. */
export async function untilOneWaits(
  { service }: Pick<TestService, 'service'>,
  turn: 'calls' | 'searches' | 'strangers',
): Promise<void> {
  const { metricsUrl = '' } = service;
  const line = `patchbay_admission_waiting{turn="${turn}"} 1\n`;
  while (!(await (await fetch(metricsUrl)).text()).includes(line)) await wait(5);
}
