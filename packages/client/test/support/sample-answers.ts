import type {
  Connector,
  ExecutionMetadata,
  Problem,
  SearchAnswer,
  Wire,
} from '@patchbay/connectors/wire';

const AN_ID = '01a1fd50-54ba-79a1-a087-6b4fef496709';
const AN_INSTANT = '2026-11-21T09:00:00.000Z';

/** A connector as the service sends it. */
export function connectorAnswer(changes: Partial<Connector> = {}): Connector {
  return {
    id: AN_ID,
    name: 'Team chat',
    connector_type: 'chat-workspace',
    definition_id: AN_ID,
    external_user_id: 'user',
    status: 'active',
    paused: false,
    disabled: false,
    auth_method: 'token',
    account: null,
    warnings: [],
    config: {},
    replication_config: null,
    created_at: AN_INSTANT,
    updated_at: AN_INSTANT,
    last_synced_at: null,
    freshness: {
      as_of: null,
      lag_seconds: null,
      complete: false,
      interval_seconds: 900,
      record_count: 0,
    },
    last_error: null,
    summarized_source_template: { name: 'Slack', connector_name: 'chat-workspace' },
    ...changes,
  };
}

const METADATA: ExecutionMetadata = {
  connector_instance_id: AN_ID,
  execution_time_ms: 1,
  request_id: AN_ID,
};

/** A page of no hits that another one follows, as such pages are. */
export function emptySearchAnswer(nextCursor: string): Wire<typeof SearchAnswer> {
  return {
    status: 'success',
    result: {
      hits: [],
      next_cursor: nextCursor,
      took_ms: 1,
      partial: true,
      sync: { state: 'idle', as_of: AN_INSTANT, complete: true, lag_seconds: 1 },
    },
    connector_metadata: {},
    execution_metadata: METADATA,
  };
}

/** An error as the service renders it. */
export function problemAnswer(
  changes: Partial<Problem> & Pick<Problem, 'code' | 'status'>,
): Problem {
  const { code, message = code } = changes;
  return {
    type: `https://patchbay.dev/errors/${code}`,
    title: code,
    detail: message,
    retry: 'never',
    request_id: AN_ID,
    message,
    errors: [],
    ...changes,
  };
}
