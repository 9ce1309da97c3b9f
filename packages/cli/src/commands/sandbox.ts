import { startSandbox } from '@patchbay/sandbox';
import type { Command } from 'commander';
import { untilStopped, type Terminal } from '../terminal.ts';
import { choice, wholeNumber } from './arguments.ts';

interface SandboxFlags {
  readonly host: string;
  readonly port: number;
  readonly scale: number;
  readonly seed: number;
  readonly limits: 'off' | 'vendor';
}

/** `patchbay sandbox`: the simulated upstreams alone, for one's own tests. */
export function addSandboxCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  program
    .command('sandbox')
    .description('start the simulated upstreams alone, for your own tests')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option(
      '--port <port>',
      'port to listen on; 0 takes any free one',
      wholeNumber(0, 65_535),
      8090,
    )
    .option('--scale <users>', 'how many users there are', wholeNumber(10, 1_000_000), 200)
    .option('--seed <number>', 'selects the data', wholeNumber(0, 2 ** 31), 1)
    .option('--limits <mode>', 'rate limits: off or vendor', choice('off', 'vendor'), 'off')
    .addHelpText('after', '\nExample:\n  $ patchbay sandbox --port 8090 --scale 10000')
    .action(async (flags: SandboxFlags) => {
      await using sandbox = await startSandbox(flags);
      terminal.out(
        `The sandbox is at ${sandbox.url}; all its data is invented.\n` +
          `  Slack's API: ${sandbox.urls.slack}\n` +
          `Use any non-empty token that is no real one. Ctrl-C stops it.\n`,
      );
      await untilStopped(environment);
    });
}
