import { Option, type Command } from 'commander';
import { shellWord } from '../output/shell-word.ts';
import { stopSignal, untilAborted } from '../stop-signal.ts';
import type { Terminal } from '../terminal.ts';
import { durationSeconds, wholeNumber } from './arguments.ts';
import { addExamples } from './options.ts';

interface SandboxFlags {
  readonly host: string;
  readonly port: number;
  readonly scale: number;
  readonly seed: number;
  readonly limits: 'off' | 'vendor';
  readonly slackDistribution: 'internal' | 'distributed' | 'marketplace';
  readonly tokenTtl?: number;
  readonly redirectUri: readonly string[];
}

/** `patchbay sandbox`: the simulated upstreams alone, for one's own tests. */
export function addSandboxCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
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
    .addOption(
      new Option('--limits <mode>', 'rate limits').choices(['off', 'vendor']).default('off'),
    )
    .addOption(
      new Option('--slack-distribution <kind>', "whose limits Slack's messages are read by")
        .choices(['internal', 'distributed', 'marketplace'])
        .default('internal'),
    )
    .option(
      '--token-ttl <duration>',
      "how long OAuth access tokens live, such as 5s; by default as long as the vendor's",
      durationSeconds,
    )
    .option(
      '--redirect-uri <address>',
      'where OAuth consent may lead back to, besides addresses on this machine; repeatable',
      (address: string, before: readonly string[]) => [...before, address],
      [],
    )
    .action((flags: SandboxFlags) => serve(flags, terminal, environment));
  addExamples(
    command,
    'patchbay sandbox --port 8090 --scale 10000',
    'patchbay sandbox --token-ttl 5s',
  );
}

async function serve(
  { tokenTtl, redirectUri, ...flags }: SandboxFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const stopping = stopSignal(environment);
  const { startSandbox } = await import('@patchbay/sandbox');
  const { sandboxUpstreams, upstreamVariables } = await import('../service/sandbox-upstreams.ts');
  await using sandbox = await startSandbox({
    ...flags,
    redirectUris: redirectUri,
    ...(tokenTtl === undefined ? {} : { tokenTtlSeconds: tokenTtl }),
  });
  terminal.out(
    `The sandbox is at ${sandbox.url}; all its data is invented.\n` +
      'Use any non-empty token that is no real one. These lines, in the shell of a service that\n' +
      'starts with --no-sandbox, or of `patchbay mcp --kind slack`, lead it here:\n\n',
  );
  for (const [name, value] of Object.entries(upstreamVariables(sandboxUpstreams(sandbox))))
    terminal.out(`export ${name}=${shellWord(value)}\n`);
  terminal.out(`\nIts OAuth apps, and who can consent: ${sandbox.url}/_sandbox/oauth\n`);
  terminal.out('Ctrl-C stops it.\n');
  await untilAborted(stopping);
}
