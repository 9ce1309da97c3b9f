import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConnectorError, type Fault } from '@patchbay/connectors/definitions';
import { CommandError } from '../terminal.ts';
import { WhereError } from '../where-expression/where-error.ts';
import { describeFailure } from './failure.ts';

const fault = (field: string, message: string): Fault => ({ field, message, errorCode: 'unknown' });

describe('a failure is told', () => {
  test('in one sentence with its code, where one thing is wrong', async () => {
    const faults = [fault('params.x', 'is not known')];
    const error = new ConnectorError('invalid_params', { faults }, { message: 'It is wrong: x' });
    assert.deepEqual(await describeFailure(error), {
      exitCode: 3,
      text: 'patchbay: It is wrong: x (invalid_params)\n',
    });
  });

  test('line by line, where several things are', async () => {
    const faults = [fault('params.x', 'is not known'), fault('params.y', 'is required')];
    const error = new ConnectorError('invalid_params', { faults }, { message: 'all of it' });
    const { text } = await describeFailure(error);
    assert.equal(
      text,
      'patchbay: The params are wrong. (invalid_params)\n  params.x is not known\n  params.y is required\n',
    );
  });

  test('with what to do next', async () => {
    const limited = new ConnectorError('rate_limited', { retryAfterSeconds: 7 });
    assert.match((await describeFailure(limited)).text, /\nIt may work in 7 s\.\n$/);
    const paused = await describeFailure(new ConnectorError('connector_paused', {}));
    assert.match(paused.text, /patchbay connector resume/);
    const disabled = await describeFailure(new ConnectorError('connector_disabled', {}));
    assert.match(disabled.text, /patchbay connector enable/);
    const ours = new ConnectorError('internal', { requestId: 'abc' });
    assert.match((await describeFailure(ours)).text, /request abc/);
  });

  test('with how to start a service, unless one has answered', async () => {
    const absent = await describeFailure(new ConnectorError('not_ready', {}));
    assert.match(absent.text, /\nIs it running\? `patchbay start` starts one here/);
    const details = { retryAfterSeconds: 1, requestId: 'abc' };
    const answered = await describeFailure(new ConnectorError('not_ready', details));
    assert.match(
      answered.text,
      /\nIt may work in 1 s\. The log of the service may say more: request abc\.\n$/,
    );
  });

  for (const [cause, hint] of [
    ['no_worker', /patchbay start --role worker/],
    ['paused', /patchbay connector resume/],
  ] as const)
    test(`with what to do where waiting brings nothing to search: ${cause}`, async () => {
      const details = { cause, retryAfterSeconds: 60 };
      const { text } = await describeFailure(new ConnectorError('search_not_ready', details));
      assert.match(text, hint);
      assert.doesNotMatch(text, /It may work/);
    });

  test('with when to ask again, where something is being read', async () => {
    const details = { cause: 'first_read', retryAfterSeconds: 2 } as const;
    const { text } = await describeFailure(new ConnectorError('search_not_ready', details));
    assert.match(text, /It may work in 2 s\. `patchbay sync/);
  });

  test('to programs as one line of JSON', async () => {
    const faults = [fault('params.x', 'is not known'), fault('params.y', 'is required')];
    const error = new ConnectorError('invalid_params', { faults }, { message: 'all of it' });
    const { text } = await describeFailure(error, { isJson: true });
    assert.deepEqual(JSON.parse(text), {
      error: {
        code: 'invalid_params',
        message: 'all of it',
        status: 422,
        retry: 'never',
        details: { faults },
      },
    });
    assert.equal(text.indexOf('\n'), text.length - 1);
  });

  test('with a caret, where an expression is wrong', async () => {
    const error = new WhereError('a b', 2, 'why');
    const { exitCode, text } = await describeFailure(error);
    assert.equal(exitCode, 2);
    assert.match(text, /at character 3: why\n {2}a b\n {4}\^\n$/);
    assert.match((await describeFailure(error, { isJson: true })).text, /"code":"usage".*"at":2/);
  });

  test('without what a terminal would obey', async () => {
    const error = new ConnectorError('upstream_rejected', {}, { message: 'a\u001b[2Jb' });
    assert.match((await describeFailure(error)).text, /a\\u001b\[2Jb/);
  });

  test('as a bug without its stack, where nobody foresaw it', async () => {
    const error = new TypeError('oops');
    assert.deepEqual(await describeFailure(error), {
      exitCode: 6,
      text: 'patchbay: This is a bug in patchbay: TypeError: oops\nPATCHBAY_DEBUG=1 shows where it is.\n',
    });
    const { text } = await describeFailure(error, { showsStack: true });
    assert.match(text, /: oops\nTypeError: oops\n +at /);
  });

  test('as what the machine lacks, and the remedy, whatever it stood in the way of', async () => {
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    const many = Object.assign(new Error('open'), { code: 'EMFILE' });
    for (const [error, remedy] of [
      [full, /^patchbay: The disk is full \(ENOSPC\): free /],
      [many, /^patchbay: Too many files are open \(EMFILE\): raise .*ulimit -n/],
      [new Error('broken', { cause: many }), /raise .*ulimit -n/],
    ] as const) {
      const { exitCode, text } = await describeFailure(error);
      assert.equal(exitCode, 4);
      assert.match(text, remedy);
    }
  });

  test('as the fault of the command line, where it is', async () => {
    assert.deepEqual(await describeFailure(new CommandError('No.')), {
      exitCode: 2,
      text: 'patchbay: No.\n',
    });
  });
});
