import type { Warning } from '@patchbay/connectors';
import { nestedTooDeeply, type Page } from '@patchbay/connectors/engine';
import type { Executed, Outcome } from '../operations/outcome.ts';
import { searchResultPieces, type SearchShape } from './search-result.ts';

export interface EnvelopeOptions {
  readonly requestId: string;
  /** `hits` unless said. */
  readonly searchShape?: SearchShape | undefined;
}

const HEAD = '{"status":"success","result":';

/**
 * The answer of execute as JSON text, keys in the order of the wire contract. Files have none: they
 * go out as they are.
 *
 * @see docs/wire.md#the-envelope
 */
export function envelopeText(executed: Executed, options: EnvelopeOptions): string {
  const { outcome } = executed;
  return outcome.type === 'hits'
    ? Array.from(envelopePieces(executed, options)).join('')
    : `${HEAD}${resultText(outcome)}${tailOf(executed, options)}`;
}

/** The same in pieces, of which each hit has its own. */
export function* envelopePieces(executed: Executed, options: EnvelopeOptions): Generator<string> {
  const { outcome } = executed;
  yield HEAD;
  if (outcome.type === 'hits') yield* searchResultPieces(outcome.found, options.searchShape);
  else yield resultText(outcome);
  yield tailOf(executed, options);
}

/** What comes behind the result. */
function tailOf(
  { outcome, connectorId, tookMs, upstreamLabel }: Executed,
  { requestId }: EnvelopeOptions,
): string {
  const metadata = outcome.type === 'page' ? metadataText(outcome.page) : '{}';
  const upstream =
    upstreamLabel === undefined ? '' : `,"upstream":${JSON.stringify(upstreamLabel)}`;
  // Ids and a number, which need no escaping.
  const execution = `{"connector_instance_id":"${connectorId}","execution_time_ms":${tookMs},"request_id":"${requestId}"${upstream}}`;
  const warnings = warningsOf(outcome);
  const told = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  return `,"connector_metadata":${metadata},"execution_metadata":${execution}${told}}`;
}

function metadataText({ meta, nextParams }: Page): string {
  return JSON.stringify({ ...meta, next_params: nextParams });
}

function warningsOf(outcome: Outcome): readonly Warning[] {
  if (outcome.type === 'page') return outcome.page.warnings;
  if (outcome.type === 'hits') return outcome.found.warnings;
  return outcome.type === 'record' ? (outcome.warnings ?? []) : [];
}

function resultText(outcome: Exclude<Outcome, { readonly type: 'hits' }>): string {
  switch (outcome.type) {
    case 'page':
      return textOf(outcome.page.data);
    case 'record':
      // Of a write it has been made sure that it can be written: what is thrown here does not say that it has happened.
      return textOf(outcome.record);
    case 'file':
      throw new Error('a file has no envelope');
  }
}

/** @throws `upstream_contract_broken` for what an upstream nests more deeply than JSON is written. */
function textOf(answer: unknown): string {
  try {
    return JSON.stringify(answer);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw nestedTooDeeply(error);
  }
}
