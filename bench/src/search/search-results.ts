import type { Machine } from '../support/machine.ts';
import type { Climb } from '../support/rate-ladder.ts';

interface Times {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** How the questions of one case were answered, one after another; in milliseconds. */
export interface CaseResult extends Times {
  readonly name: string;
  readonly calls: number;
  /** How many calls failed, by code. */
  readonly failures: Readonly<Record<string, number>>;
  /** CPU time of the service for a call. */
  readonly serviceCpuMs: number;
  readonly aimMs: { readonly p50: number; readonly p99: number };
  readonly byHand: Times | null;
}

/** What `npm run bench -- search` found out, as it is kept in `bench/results`. */
export interface SearchResults {
  readonly bench: 'search';
  readonly database: string;
  readonly at: string;
  readonly machine: Machine;
  readonly load: {
    readonly rows: number;
    readonly tenants: number;
    readonly seconds: number;
    readonly seed: number;
    readonly questions: number;
  };
  readonly cases: readonly CaseResult[];
  /** Cases that are asked every day, mixed, at rising rates. */
  readonly everyday: Climb;
  /** All cases, mixed, at rising rates. */
  readonly openLoop: Climb;
  readonly peakMegabytes: number;
}

/** A name for files: `postgresql` or `pglite`. */
export function nameOf({ database }: Pick<SearchResults, 'database'>): string {
  return (database.split(' ').at(-1) ?? '').toLowerCase();
}
