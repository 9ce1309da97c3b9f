import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

const MODULE = JSON.stringify(new URL('./log-destination.ts', import.meta.url).href);

/** A program that has a destination on standard output. */
function program(body: string): readonly string[] {
  const source = `import { LogDestination } from ${MODULE}; const log = new LogDestination(1); ${body}`;
  return ['--input-type=module-typescript', '--eval', source];
}

describe('where log lines go', () => {
  test('they keep their order, and those of the last moment go out at the exit', async () => {
    const body = `
      for (let i = 0; i < 5000; i++) log.write('line ' + i + '\\n');
      log.flush(() => { log.write('the last one\\n'); process.exit(); });`;
    const { stdout } = await promisify(execFile)(process.execPath, program(body));
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
    assert.deepEqual(stdout.split('\n'), [...lines, 'the last one', '']);
  });

  test('a reader that stalls costs lines and not memory, and is told how many', async () => {
    const body = `
      const line = 'x'.repeat(1023) + '\\n';
      const write = (left) => {
        for (let i = 0; i < 1000; i++) log.write(line);
        if (left > 0) setImmediate(write, left - 1);
        else process.stderr.write(String(process.memoryUsage().rss));
      };
      write(100);
      process.stdin.once('data', () => log.flush(() => log.flush(() => process.exit())));`;
    const child = spawn(process.execPath, program(body), { stdio: ['pipe', 'pipe', 'pipe'] });
    const [rss] = (await child.stderr.take(1).toArray()) as Buffer[];
    // 100 MB of lines were written, and nobody has read one.
    assert.ok(Number(rss?.toString()) < 250e6, `${rss?.toString()} bytes`);
    child.stdin.end('go on');
    let told = '';
    for await (const chunk of child.stdout.setEncoding('utf8'))
      told = (told + String(chunk)).slice(-400);
    const { dropped, level } = JSON.parse(told.trim().split('\n').at(-1) ?? '') as {
      readonly dropped: number;
      readonly level: number;
    };
    assert.ok(dropped > 50_000, `${dropped} of 101,000 lines`);
    assert.equal(level, 40);
  });
});
