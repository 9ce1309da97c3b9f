/** What the printed lines are filled in with. */
export interface TryItFacts {
  readonly url: string;
  readonly token: string;
  readonly externalUserId: string;
  /** Whether the upstream is the sandbox, so that any token will do. */
  readonly isSandbox: boolean;
}

/**
 * Shell lines that a newcomer pastes one after the other: create a connector, list users, post a
 * message, read it back. They need curl, grep and cut.
 */
export function tryItLines({ url, token, externalUserId, isSandbox }: TryItFacts): string {
  const connector = JSON.stringify({
    external_user_id: externalUserId,
    connector_type: 'slack',
    name: 'Demo',
    credentials: { api_token: isSandbox ? 'demo' : 'YOUR-BOT-TOKEN' },
    replication_config: {
      start_date: '2026-01-01T00:00:00Z',
      lookback_window: 0,
      join_channels: false,
    },
  });
  return `BASE=${url}
TOKEN=${token}
post() { curl -sS "$BASE$1" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d "$2"; echo; }
first_id() { grep -o '"id":"[^"]*"' | head -n 1 | cut -d '"' -f 4; }

# 1. create a connector
CONNECTOR=$(post /v1/integrations/connectors '${connector}' | first_id); echo "$CONNECTOR"
EXECUTE=/api/v1/connectors/sources/$CONNECTOR/execute

# 2. list users
post $EXECUTE '{"entity":"users","action":"list","params":{"limit":2}}'

# 3. post a message
CHANNEL=$(post $EXECUTE '{"entity":"channels","action":"list","params":{"limit":1}}' | first_id); echo "$CHANNEL"
post $EXECUTE '{"entity":"messages","action":"create","params":{"channel":"'$CHANNEL'","text":"Hello"}}'

# 4. read it back
post $EXECUTE '{"entity":"channel_messages","action":"list","params":{"channel":"'$CHANNEL'","limit":1}}'
`;
}
