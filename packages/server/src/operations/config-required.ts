import { ConnectorError, isConnectorError } from '@patchbay/connectors';

/** Adds to `config_required` the exact request that mends it; other errors come back unchanged. */
export function explainConfigRequired(error: unknown, connectorId: string): unknown {
  if (!isConnectorError(error, 'config_required')) return error;
  const { missing } = error.details;
  const config = Object.fromEntries(missing.map((name) => [name, `<${name}>`]));
  const patch = `PATCH /v1/integrations/connectors/${connectorId} ${JSON.stringify({ config })}`;
  return new ConnectorError(
    'config_required',
    { ...error.details, patch },
    { message: `The connector lacks the config ${missing.join(', ')}. Send: ${patch}` },
  );
}
