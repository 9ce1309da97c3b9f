import { ConnectorError, isConnectorError } from '@patchbay/connectors';

/** The request that gives a connector the config it lacks, but for the values. */
export function configPatch(connectorId: string, missing: readonly string[]): string {
  const config = Object.fromEntries(missing.map((name) => [name, `<${name}>`]));
  return `PATCH /v1/integrations/connectors/${connectorId} ${JSON.stringify({ config })}`;
}

/** Adds to `config_required` the exact request that mends it; other errors come back unchanged. */
export function explainConfigRequired(error: unknown, connectorId: string): unknown {
  if (!isConnectorError(error, 'config_required')) return error;
  const { missing } = error.details;
  const patch = configPatch(connectorId, missing);
  return new ConnectorError(
    'config_required',
    { ...error.details, patch },
    { message: `The connector lacks the config ${missing.join(', ')}. Send: ${patch}` },
  );
}
