import type { Warning } from '@patchbay/connectors';
import type { Page } from '@patchbay/connectors/engine';
import type { Executed, Outcome } from '../operations/outcome.ts';
import { searchResultPieces, type SearchShape } from './search-result.ts';

export interface EnvelopeOptions {
  readonly requestId: string;
  /** `hits` unless said. */
  readonly searchShape?: SearchShape | undefined;
}

/**
 * The answer of execute as JSON text, keys in the order of the wire contract. Files have none: they
 * go out as they are.
 *
 * @see docs/wire.md#the-envelope
 */
export function envelopeText(executed: Executed, options: EnvelopeOptions): string {
  return Array.from(envelopePieces(executed, options)).join('');
}

/** The same in pieces, of which each hit has its own. */
export function* envelopePieces(
  { outcome, connectorId, tookMs, upstreamLabel }: Executed,
  { requestId, searchShape = 'hits' }: EnvelopeOptions,
): Generator<string> {
  yield '{"status":"success","result":';
  yield* resultPieces(outcome, searchShape);
  const metadata = outcome.type === 'page' ? metadataText(outcome.page) : '{}';
  const upstream =
    upstreamLabel === undefined ? '' : `,"upstream":${JSON.stringify(upstreamLabel)}`;
  // Ids and a number, which need no escaping.
  const execution = `{"connector_instance_id":"${connectorId}","execution_time_ms":${tookMs},"request_id":"${requestId}"${upstream}}`;
  const warnings = warningsOf(outcome);
  const told = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  yield `,"connector_metadata":${metadata},"execution_metadata":${execution}${told}}`;
}

function metadataText({ meta, nextParams }: Page): string {
  return JSON.stringify({ ...meta, next_params: nextParams });
}

function warningsOf(outcome: Outcome): readonly Warning[] {
  if (outcome.type === 'page') return outcome.page.warnings;
  if (outcome.type === 'hits') return outcome.found.warnings;
  return outcome.type === 'record' ? (outcome.warnings ?? []) : [];
}

function* resultPieces(outcome: Outcome, searchShape: SearchShape): Generator<string> {
  switch (outcome.type) {
    case 'page':
      yield JSON.stringify(outcome.page.data);
      return;
    case 'record':
      yield JSON.stringify(outcome.record);
      return;
    case 'hits':
      yield* searchResultPieces(outcome.found, searchShape);
      return;
    case 'file':
      throw new Error('a file has no envelope');
  }
}
