/** What an answer of execute says about itself. */
export interface ExecutionFacts {
  readonly connectorId: string;
  readonly requestId: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Set where the upstream is not the real one. */
  readonly upstreamLabel: string | undefined;
}

/**
 * The envelope around a result that is JSON text already, keys in the order of the wire contract.
 *
 * @see wire contract, part 4
 */
export function envelopeText(
  resultText: string,
  connectorMetadata: object,
  facts: ExecutionFacts,
): string {
  const { connectorId, requestId, startedAt, endedAt, upstreamLabel } = facts;
  const metadata = JSON.stringify(connectorMetadata);
  const execution = JSON.stringify({
    connector_instance_id: connectorId,
    execution_time_ms: Math.max(0, Math.round(endedAt - startedAt)),
    request_id: requestId,
    ...(upstreamLabel === undefined ? {} : { upstream: upstreamLabel }),
  });
  return `{"status":"success","result":${resultText},"connector_metadata":${metadata},"execution_metadata":${execution}}`;
}
