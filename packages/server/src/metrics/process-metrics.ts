import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * Event loop, memory, garbage collection and CPU time of the process. There is one process, so there is
 * one registry, however many services run in it; watching begins when it is first asked for.
 */
export function processMetrics(): Registry {
  if (registry !== undefined) return registry;
  registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
