import { describeFailure } from './output/failure.ts';
import { buildProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

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
  try {
    await buildProgram(terminal, environment).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    const { exitCode, text } = await describeFailure(error, {
      isJson: args.includes('--json'),
      showsStack: environment['PATCHBAY_DEBUG'] === '1',
    });
    terminal.err(text);
    return exitCode;
  }
}
