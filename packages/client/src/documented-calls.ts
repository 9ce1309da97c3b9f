/**
 * The same of the hosted client as `DocumentedCalls` of the library: empty in the sources, and written from
 * the definitions when the package is built.
 *
 * @see packages/connectors/build/declare-calls.ts
 */
export interface DocumentedHostedCalls {}
