/**
 * A dotted path into a parsed upstream body, for example `response_metadata.next_cursor` or
 * `errors.0.code`; `$` is the body itself.
 */
export type BodyPath = string;
