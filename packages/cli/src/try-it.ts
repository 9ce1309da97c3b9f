/** What the printed lines are filled in with. */
interface TryItFacts {
  readonly url: string;
  readonly token: string;
  readonly externalUserId: string;
}

/** A misspelt last name of people in the sandbox (Underbough), for a fuzzy search. */
const NEARLY_A_NAME = 'undrebough';

/**
 * Shell lines that a newcomer pastes one after the other, for the sandbox: create a connector, watch
 * its first sync, search, turn the page, post a message, read it back. They need curl, grep and cut.
 */
export function tryItLines(facts: TryItFacts): string {
  return `BASE=${facts.url}\nTOKEN=${facts.token}\n${stepLines(facts.externalUserId)}`;
}

/** The lines after those that set the address and the token; the README shows them. */
function stepLines(externalUserId: string): string {
  return `post() { curl -sS "$BASE$1" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d "$2"; echo; }
value_of() { grep -o '"'$1'":"[^"]*"' | head -n 1 | cut -d '"' -f 4; }

# 1. create a connector
CONNECTOR=$(post /v1/integrations/connectors '{"external_user_id":${JSON.stringify(externalUserId)},"connector_type":"slack",
  "name":"Demo","credentials":{"api_token":"demo"},"replication_config":
  {"start_date":"2025-12-01T00:00:00Z","lookback_window":0,"join_channels":false}}' | value_of id); echo "$CONNECTOR"
EXECUTE=/api/v1/connectors/sources/$CONNECTOR/execute

# 2. watch its first sync until it has ended, for a minute at most
curl -sSN -m 60 "$BASE/v1/integrations/connectors/$CONNECTOR/sync/events" -H "Authorization: Bearer $TOKEN"

# 3. search the copy; typos do not matter
SEARCH='"entity":"users","action":"search","params":{"query":{"filter":{"fuzzy":{"real_name":"${NEARLY_A_NAME}"}}},"fields":["real_name"],"limit":2'
PAGE=$(post $EXECUTE "{$SEARCH}}"); echo "$PAGE"

# 4. turn the page
CURSOR=$(echo "$PAGE" | value_of next_cursor)
post $EXECUTE "{$SEARCH,\\"cursor\\":\\"$CURSOR\\"}}"

# 5. post a message
CHANNEL=$(post $EXECUTE '{"entity":"channels","action":"list","params":{"limit":1}}' | value_of id); echo "$CHANNEL"
post $EXECUTE '{"entity":"messages","action":"create","params":{"channel":"'$CHANNEL'","text":"Hello"}}'

# 6. read it back
post $EXECUTE '{"entity":"channel_messages","action":"list","params":{"channel":"'$CHANNEL'","limit":1}}'
`;
}
