import { useEffect, useState } from 'react';
import { serverNow } from '../service/server-clock.ts';

/** The time of the service, as milliseconds since 1970, every so many milliseconds anew. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
