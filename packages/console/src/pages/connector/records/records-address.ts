/** Where the copy of an entity is browsed, below the console's own path. */
export function recordsAddress(connectorId: string, entity: string): string {
  const query = new URLSearchParams({ tab: 'records', entity });
  return `/connectors/${connectorId}?${query.toString()}`;
}
