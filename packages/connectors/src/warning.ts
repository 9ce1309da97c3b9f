/**
 * Something about a call that went well which its caller should know. Members are named as on the
 * wire, where warnings have the same shape everywhere.
 */
export interface Warning {
  readonly code: string;
  /** A sentence that stands by itself. */
  readonly message: string;
  /** What it is about, for example `params.limit`. */
  readonly field?: string;
  readonly did_you_mean?: string;
  /** Where in that it is. */
  readonly at?: string;
  /** When that ends which it is about: a UTC date and time. */
  readonly ends_at?: string;
}
