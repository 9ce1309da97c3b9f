import { isOutputClosed, watchOutput } from './output/closed-output.ts';
import { EXIT_CODES } from './output/exit-codes.ts';
import { run } from './run.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** Runs the command line that this process was given, and ends the process with its exit code. */
export async function runCommandLine(): Promise<never> {
  const terminal: Terminal = {
    ...processTerminal,
    // When the reader of the output has gone, errors are left out: they come of that.
    err: (text) => {
      if (!isOutputClosed()) processTerminal.err(text);
    },
  };
  watchOutput((code) => {
    terminal.err(`patchbay: The output cannot be written (${code}).\n`);
    process.exit(EXIT_CODES.operator.code);
  });
  const exitCode = await run(process.argv.slice(2), terminal, process.env);
  process.exitCode = isOutputClosed() ? EXIT_CODES.ok.code : exitCode;
  // Work in the background, such as renewing a token, would keep the process alive: it is ended.
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((done) => stream.write('', () => done()));
  process.exit();
}
