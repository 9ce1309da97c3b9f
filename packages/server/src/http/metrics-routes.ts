import { METRICS_TYPE, type Metrics } from '../metrics/metrics.ts';
import { bringsToken } from '../metrics/metrics-token.ts';
import { routeNotFound } from './route-not-found.ts';
import type { Route } from './route.ts';

/**
 * The metrics on the service's own port, for whoever brings their token. Nobody else learns that they
 * are there.
 */
export function metricsRoutes(metrics: Pick<Metrics, 'text'>, token: string): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/metrics',
      reach: 'public',
      doc: { summary: 'Metrics, for Prometheus', tag: 'System', type: METRICS_TYPE },
      handle: async (call) => {
        if (!bringsToken(call.header('authorization'), token)) throw routeNotFound();
        return { status: 200, text: await metrics.text(), type: METRICS_TYPE };
      },
    },
  ];
}
