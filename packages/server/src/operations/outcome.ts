import type { Download, Warning } from '@patchbay/connectors';
import type { Page, ProjectedRecord } from '@patchbay/connectors/engine';
import type { Freshness } from '@patchbay/connectors/wire';
import type { SearchPage, StoredAnswer } from '@patchbay/store';
import type { PageInTheMaking } from '../admission/admission.ts';

/** What a call brought, before any surface puts it into words. */
export type Outcome =
  | { readonly type: 'page'; readonly page: Page }
  | {
      readonly type: 'record';
      readonly record: ProjectedRecord;
      readonly warnings?: readonly Warning[];
    }
  | { readonly type: 'hits'; readonly found: Found }
  | OpenFile;

/** A file whose bytes are still to come; the call is under way until they have. */
export interface OpenFile {
  readonly type: 'file';
  readonly file: Download;
  /** Counts bytes that somebody keeps here, rather than passing them on as they come. */
  readonly kept: PageInTheMaking;
  /** Ends the call where nobody is going to read the bytes to their end. */
  readonly discard: () => void;
}

/** A page of hits, and how fresh the copy is that was searched. */
export interface Found {
  readonly page: SearchPage;
  readonly sync: Freshness;
  /** Start of the last full read that is complete; null before there is one. */
  readonly lastFullAt: Date | null;
  /** Whole milliseconds. */
  readonly tookMs: number;
  readonly warnings: readonly Warning[];
}

/** A call that has come to its end, and what its answer says about it. */
export interface Executed<O extends Outcome = Outcome> {
  readonly outcome: O;
  readonly connectorId: string;
  /** Whole milliseconds. */
  readonly tookMs: number;
  /** Set where the upstream is not the real one. */
  readonly upstreamLabel: string | undefined;
}

/** The answer that an `Idempotency-Key` keeps of a write made before. */
export interface Kept {
  readonly kept: StoredAnswer;
}
