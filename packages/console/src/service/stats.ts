import type { Stats } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { serverNow } from './server-clock.ts';
import { useService } from './service.tsx';

/** Times that charts can show, and in which steps. */
export const RANGES = {
  hour: { label: 'Last hour', seconds: 3_600, step: 60 },
  day: { label: 'Last 24 hours', seconds: 86_400, step: 900 },
  week: { label: 'Last 7 days', seconds: 604_800, step: 7_200 },
} as const;

export type RangeName = keyof typeof RANGES;

/** Whether a text names one of the times. */
export function isRange(name: string | null): name is RangeName {
  return name !== null && Object.hasOwn(RANGES, name);
}

const REFRESH_MS = 30_000;
/** Where there is nothing yet: the service counts with a delay as long as this. */
const FIRST_MS = 10_000;

/** The figures of an application up to now. */
export function useStats(range: RangeName) {
  const service = useService();
  const { seconds, step } = RANGES[range];
  return useQuery({
    queryKey: ['stats', range],
    queryFn: async ({ signal }) => {
      const now = serverNow();
      const query = new URLSearchParams({
        from: instantText(now - seconds * 1_000),
        to: instantText(now),
        step: String(step),
      });
      // docs/wire.md, "Stats"
      return (await service.request('GET', `/v1/stats?${query.toString()}`, { signal })) as Stats;
    },
    placeholderData: (earlier) => earlier,
    refetchInterval: ({ state: { data } }) => (isEmpty(data) ? FIRST_MS : REFRESH_MS),
  });
}

function isEmpty(stats: Stats | undefined): boolean {
  return stats !== undefined && stats.total.calls === 0 && stats.total.records === 0;
}

/** Without fractions of a second, which the steps are far from. */
function instantText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
