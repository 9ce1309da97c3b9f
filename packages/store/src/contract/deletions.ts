/** How far what a call has deleted is cleared. */
export interface Deletion {
  readonly applicationId: string;
  /** Those that were deleted; of a deleted application, those that it had, and what is left of others deleted before. */
  readonly connectors: number;
  /** Of them, those of which anything is left besides their tombstones. */
  readonly connectorsLeft: number;
}

export interface Deletions {
  /** By the id of the job; `undefined` where there was none. */
  find(jobId: string): Promise<Deletion | undefined>;
}
