/**
 * The typed call surfaces by the names of their kinds, spelled out and with comments: editors find none on
 * types that are computed. Empty in the sources; building the package writes its declaration from the
 * definitions, so that what an editor shows and what `describe()` says cannot differ.
 *
 * @see packages/connectors/build/declare-calls.ts
 */
export interface DocumentedCalls {}
