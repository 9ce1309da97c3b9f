import type { ConnectorKind } from '@patchbay/connectors';

/** Credentials that the sandbox takes: the required fields of a kind's last auth method that asks for no token first. */
export function sampleCredentials(kind: ConnectorKind): Readonly<Record<string, string>> {
  const method = Object.values(kind.auth).findLast(
    ({ grants }) => grants?.includes('client_credentials') !== true,
  );
  return Object.fromEntries(
    Object.entries(method?.fields ?? {})
      .filter(([, { isRequired }]) => isRequired)
      .map(([name]) => [name, name.includes('email') ? 'agent@example.com' : `test-${name}`]),
  );
}

/** What creating a connector of the kind requires, and nothing else. */
export function sampleReplicationConfig(
  kind: ConnectorKind,
): Readonly<Record<string, unknown>> | null {
  if (!kind.requiresReplicationConfig) return null;
  return Object.fromEntries(
    Object.entries(kind.replicationConfig)
      .filter(([, { isRequired }]) => isRequired)
      .map(([name, { schema }]) => {
        const type = 'type' in schema ? schema.type : undefined;
        return [name, type === 'boolean' ? false : type === 'integer' ? 7 : '2026-01-01T00:00:00Z'];
      }),
  );
}
