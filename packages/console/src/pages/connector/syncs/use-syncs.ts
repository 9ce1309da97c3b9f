import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { runsKey } from './runs.ts';
import { followSyncs, type SyncNews } from './follow-syncs.ts';
import { useService } from '../../../service/service.tsx';

/** The syncs of a connector as they go on. */
export interface FollowedSyncs extends SyncNews {
  /** Asks at once, where one would otherwise ask later: something has just been changed. */
  readonly askNow: () => void;
}

const NOTHING_YET: SyncNews = { status: undefined, isLive: false, failure: undefined };

/** Follows the syncs of a connector; what else is shown of it is read anew whenever one begins or ends. */
export function useSyncs(connectorId: string): FollowedSyncs {
  const service = useService();
  const [news, setNews] = useState(NOTHING_YET);
  const pause = useMemo(() => new Pause(), []);
  useEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    const wait = pause.wait.bind(pause);
    void followSyncs({
      service,
      connectorId,
      signal,
      pause: wait,
      onNews: (told) => setNews((before) => ({ ...before, ...told })),
    });
    return () => end.abort();
  }, [service, connectorId, pause]);
  useReadingAnew(connectorId, news);
  return { ...news, askNow: () => pause.end() };
}

function useReadingAnew(connectorId: string, { status }: SyncNews): void {
  const queries = useQueryClient();
  const lastId = status?.last?.run_id;
  const currentState = status?.current?.state;
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['connector', connectorId], exact: true });
    void queries.invalidateQueries({ queryKey: runsKey(connectorId) });
  }, [queries, connectorId, lastId, currentState]);
}

/** A wait that can be cut short. */
class Pause {
  #end: () => void = () => undefined;

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener('abort', finish);
      this.#end = finish;
    });
  }

  end(): void {
    this.#end();
  }
}
