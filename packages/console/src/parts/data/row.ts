/** A column of a table of records. */
export interface Column {
  readonly name: string;
  /** What it holds, in a sentence. */
  readonly doc?: string | undefined;
}

/** Values by the names of columns. */
export type Row = Readonly<Record<string, unknown>>;
