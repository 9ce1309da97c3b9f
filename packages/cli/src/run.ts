import type { Command } from 'commander';
import { refuseCarriageReturns } from './carriage-returns.ts';
import { describeFailure } from './output/failure.ts';
import { buildProgram } from './program.ts';
import type { Terminal } from './terminal.ts';
import { unknownVariables } from './unknown-variables.ts';

/**
 * Runs one command line, and tells what goes wrong.
 *
 * @param args The words after `patchbay`.
 * @returns The exit code.
 */
export async function run(
  args: readonly string[],
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const isJson = args.includes('--json');
  try {
    const program = buildProgram(terminal, environment);
    program.hook('preAction', (_, command) => {
      if (!readsSettings(command)) return;
      if (!isJson) warnOfUnknownVariables(terminal, environment);
      refuseCarriageReturns(environment);
    });
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    const { exitCode, text } = await describeFailure(error, {
      isJson,
      showsStack: environment['PATCHBAY_DEBUG'] === '1',
    });
    terminal.err(text);
    return exitCode;
  }
}

/** A shell asks these, and nobody reads what they say besides. */
const FOR_SHELLS: readonly string[] = ['completion', '__complete'];

function readsSettings(command: Command): boolean {
  return !FOR_SHELLS.includes(command.name());
}

function warnOfUnknownVariables(terminal: Terminal, environment: NodeJS.ProcessEnv): void {
  for (const problem of unknownVariables(environment)) terminal.err(`Warning: ${problem}\n`);
}
