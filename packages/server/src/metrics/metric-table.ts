/** What a metric is, and which labels its series have. */
export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Of a histogram: upper bounds in seconds. */
  readonly buckets?: readonly number[];
}

const OF_CALLS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const OF_WAITS = [0.01, 0.1, 0.5, 1, 5, 10, 30, 60];
const OF_SYNCS = [1, 5, 15, 60, 300, 900, 3_600, 14_400];

/**
 * Every metric of ours. Labels have values from the routes, the definitions and the error table alone:
 * however many tenants, users and connectors there are, there are no more series.
 *
 * @see docs/operations.md#metrics
 */
export const METRICS = {
  patchbay_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels say what runs.',
    labels: ['version', 'node', 'role', 'database'],
  },
  patchbay_calls_total: {
    type: 'counter',
    help: 'Requests over HTTP that have been answered, or left by their clients.',
    labels: ['route', 'method', 'kind', 'entity', 'action', 'code'],
  },
  patchbay_call_duration_seconds: {
    type: 'histogram',
    help: 'From the arrival of a request to the end of its answer.',
    labels: ['route', 'kind', 'entity', 'action'],
    buckets: OF_CALLS,
  },
  patchbay_admission_wait_seconds: {
    type: 'histogram',
    help: 'Time that calls which had to wait spent waiting for their turn.',
    labels: ['turn'],
    buckets: OF_WAITS,
  },
  patchbay_admission_refusals_total: {
    type: 'counter',
    help: 'Requests refused because their caller or application was too fast, or already had too much under way.',
    labels: ['reason'],
  },
  patchbay_admission_running: {
    type: 'gauge',
    help: 'Turns that are under way.',
    labels: ['turn'],
  },
  patchbay_admission_waiting: {
    type: 'gauge',
    help: 'Calls, those without a token (`strangers`), searches, and large pages of copies (`large_pages`) that wait for their turn.',
    labels: ['turn'],
  },
  patchbay_upstream_requests_total: {
    type: 'counter',
    help: 'Requests to upstreams, repeated ones included, by the class of their answer.',
    labels: ['kind', 'entity', 'action', 'status'],
  },
  patchbay_upstream_request_duration_seconds: {
    type: 'histogram',
    help: 'From sending a request to an upstream to the end of its answer.',
    labels: ['kind'],
    buckets: OF_CALLS,
  },
  patchbay_upstream_retries_total: {
    type: 'counter',
    help: 'Of the requests to upstreams, those that repeat an earlier one.',
    labels: ['kind'],
  },
  patchbay_upstream_wait_seconds: {
    type: 'histogram',
    help: "Time that requests which had to wait spent waiting for their upstream's rate budget.",
    labels: ['kind', 'priority'],
    buckets: OF_WAITS,
  },
  patchbay_sync_runs_total: {
    type: 'counter',
    help: 'Syncs that this process has ended, or broken off.',
    labels: ['kind', 'outcome'],
  },
  patchbay_sync_run_duration_seconds: {
    type: 'histogram',
    help: 'How long a sync had its turn in this process.',
    labels: ['kind'],
    buckets: OF_SYNCS,
  },
  patchbay_sync_records_total: {
    type: 'counter',
    help: 'Records that this process has copied, those that had not changed included.',
    labels: ['kind', 'entity'],
  },
  patchbay_sync_reads_total: {
    type: 'counter',
    help: 'Reads of an entity within a sync, by how they ended.',
    labels: ['kind', 'entity', 'code'],
  },
  patchbay_connectors: {
    type: 'gauge',
    help: 'Connectors by state.',
    labels: ['kind', 'state'],
  },
  patchbay_sync_lag_seconds: {
    type: 'gauge',
    help: 'Time since the last successful sync, of the connector in a state for which that is longest.',
    labels: ['kind', 'state'],
  },
  patchbay_queue_depth: {
    type: 'gauge',
    help: 'Work that waits in the database, whichever process is to do it.',
    labels: ['work'],
  },
  patchbay_sync_queue_oldest_seconds: {
    type: 'gauge',
    help: 'How long the oldest of the syncs that wait has waited.',
    labels: [],
  },
  patchbay_syncs_running: {
    type: 'gauge',
    help: 'Syncs that are under way, in any process.',
    labels: [],
  },
  patchbay_workers: {
    type: 'gauge',
    help: 'Processes that copy records and have said so within 15 seconds.',
    labels: [],
  },
  patchbay_database_up: {
    type: 'gauge',
    help: '1 where the database has told the figures that come from it; 0 where these are missing.',
    labels: [],
  },
  patchbay_database_connections: {
    type: 'gauge',
    help: 'Connections of this process to the database.',
    labels: ['lane', 'state'],
  },
  patchbay_database_connections_max: {
    type: 'gauge',
    help: 'How many connections there may be.',
    labels: ['lane'],
  },
  patchbay_database_waiting: {
    type: 'gauge',
    help: 'Statements that wait for a connection.',
    labels: ['lane'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;

/** The names of those of one type. */
export type NameOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** A value for each label of a metric. */
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof METRICS)[Name]['labels'][number], string>
>;
