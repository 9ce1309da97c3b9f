import { useState } from 'react';
import type { Row } from '../../parts/data/row.ts';
import type { Answer, Call } from '../../service/execute.ts';
import { useCall, type CallControl } from '../../service/use-call.ts';
import { hitPageOf, type HitPage } from './search-answer.ts';

/** The pages of one search that have been read. */
export interface Found {
  readonly hits: readonly Row[];
  /** It has what was counted, which is the same for all pages. */
  readonly first: HitPage;
  readonly last: HitPage;
  /** The last one. */
  readonly answer: Answer;
  /** What the first was an answer to. */
  readonly firstCall: Call;
}

/** A search, page by page. */
export interface SearchControl extends Pick<CallControl, 'isRunning' | 'stop' | 'trouble'> {
  readonly found: Found | undefined;
  readonly search: (call: Call) => Promise<void>;
  /** The page after the last one, of the same search. */
  readonly more: () => Promise<void>;
}

export function useSearch(): SearchControl {
  const { isRunning, run, stop, trouble } = useCall();
  const [found, setFound] = useState<Found>();
  const search = async (call: Call) => {
    const answer = await run({ call });
    if (answer === undefined) return;
    const page = hitPageOf(answer);
    setFound({ hits: page.hits, first: page, last: page, answer, firstCall: call });
  };
  const more = async () => {
    if (found === undefined || found.last.next_cursor === null) return;
    const { count: _count, facets: _facets, ...params } = found.answer.call.params;
    const cursor = found.last.next_cursor;
    const answer = await run({ call: { ...found.answer.call, params: { ...params, cursor } } });
    if (answer === undefined) return;
    const page = hitPageOf(answer);
    setFound({ ...found, hits: [...found.hits, ...page.hits], last: page, answer });
  };
  return { isRunning, stop, trouble, found, search, more };
}
