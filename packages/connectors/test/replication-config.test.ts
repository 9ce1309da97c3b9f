import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { faultsOf, isConnectorError, KINDS } from '@patchbay/connectors';
import { checkReplicationConfig } from '@patchbay/connectors/engine';

const kind = KINDS['chat-workspace'];
const sound = { start_date: '2024-02-29T23:59:59Z', lookback_window: 0, join_channels: false };

describe('the replication config of chat-workspace', () => {
  test('passes with what the reference lists, defaults filled in', () => {
    assert.deepEqual(checkReplicationConfig(kind, sound), {
      ...sound,
      include_archived_channels: false,
      threads_ignore_no_replies: true,
    });
    assert.partialDeepStrictEqual(
      checkReplicationConfig(kind, { ...sound, threads_ignore_no_replies: false }),
      { threads_ignore_no_replies: false },
    );
  });

  for (const lookback of [0, 365])
    test(`takes ${lookback} days`, () => {
      const config = checkReplicationConfig(kind, { ...sound, lookback_window: lookback });
      assert.equal(config?.['lookback_window'], lookback);
    });

  const dates = [
    '2023-02-29T00:00:00Z',
    '2024-04-31T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-00-01T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-01-01T00:00:00.000Z',
    '2024-01-01T00:00:00+00:00',
    '2024-01-01T00:00:00z',
    '2024-01-01 00:00:00Z',
    '2024-01-01T00:00:00',
    '2024-01-01',
    '24-01-01T00:00:00Z',
    '+02024-01-01T00:00:00Z',
    '',
    ' 2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00Z\n',
    '٢٠٢٤-01-01T00:00:00Z',
  ];
  const rows: readonly (readonly [unknown, ...string[]])[] = [
    [undefined, 'replication_config'],
    [null, 'replication_config'],
    [[], 'replication_config'],
    ['x', 'replication_config'],
    [
      {},
      'replication_config.start_date',
      'replication_config.lookback_window',
      'replication_config.join_channels',
    ],
    ...dates.map(
      (date) => [{ ...sound, start_date: date }, 'replication_config.start_date'] as const,
    ),
    ...[-1, 366, 1.5, '5', null, true].map(
      (days) =>
        [{ ...sound, lookback_window: days }, 'replication_config.lookback_window'] as const,
    ),
    ...['true', 0, 1, null].map(
      (join) => [{ ...sound, join_channels: join }, 'replication_config.join_channels'] as const,
    ),
    [{ ...sound, join_channel: true }, 'replication_config.join_channel'],
    [{ ...sound, toString: true }, 'replication_config.toString'],
    [
      { start_date: 'x', lookback_window: 400, join_channels: 'no', more: 1 },
      'replication_config.more',
      'replication_config.start_date',
      'replication_config.lookback_window',
      'replication_config.join_channels',
    ],
  ];
  for (const [config, ...fields] of rows)
    test(`${inspect(config, { breakLength: Infinity })} is refused: ${fields.join(', ')}`, () => {
      assert.throws(
        () => checkReplicationConfig(kind, config),
        (error) => {
          assert.ok(isConnectorError(error, 'invalid_replication_config'));
          assert.deepEqual(
            faultsOf(error).map(({ field }) => field),
            fields,
          );
          return true;
        },
      );
    });
});
