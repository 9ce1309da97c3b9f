/** How many first characters of a sealed text say which key it was sealed with. */
export const HEAD_CHARACTERS = 32;

/** A text in the database that was sealed with a master key. */
export interface SealedValue {
  /** Table of the row that has it. */
  readonly table: string;
  /** Primary key of that row, as the database gave it. */
  readonly key: readonly unknown[];
  /** Compact JWE. */
  readonly sealed: string;
}

/** Sealed texts that begin alike. */
export interface SealedCount {
  /** Their first `HEAD_CHARACTERS` characters. */
  readonly head: string;
  readonly count: number;
}

/** Whatever is sealed with the master key, wherever it stands. It is counted and listed by how it begins. */
export interface SealedValues {
  /** Reads every sealed text that there is. */
  count(): Promise<readonly SealedCount[]>;
  /**
   * Those that begin otherwise, in the order of tables and keys, after the given one. Where many are
   * sealed as they should be, those have to be read, too.
   */
  listUnlike(
    head: string,
    page: { readonly after?: SealedValue | undefined; readonly limit: number },
  ): Promise<readonly SealedValue[]>;
  /**
   * Puts the same secret in its place, sealed otherwise. What is noted of a renewal of those credentials
   * that is under way holds for the new text.
   *
   * @returns False where it has changed or gone meanwhile: nothing has been done.
   */
  reseal(value: SealedValue, resealed: string): Promise<boolean>;
}
