/** Names of one dotted path. */
export const MAX_SEGMENTS = 100;
/** Paths that a search or a selection of fields may ask for. */
export const MAX_FIELDS = 1_000;
