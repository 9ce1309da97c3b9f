import { Argument, type Command } from 'commander';
import { complete } from '../completion/candidates.ts';
import { completionScript, FILE_MARK, SHELLS, type Shell } from '../completion/scripts.ts';
import { printable } from '../output/printable.ts';
import type { Terminal } from '../terminal.ts';
import { addExamples } from './options.ts';

/** `patchbay completion <shell>`, and the hidden command that the scripts ask. */
export function addCompletionCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('completion')
    .description('print a script that teaches a shell to complete patchbay')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell) => terminal.out(completionScript(shell)));
  addExamples(
    command,
    'eval "$(patchbay completion bash)"     # in ~/.bashrc',
    'eval "$(patchbay completion zsh)"      # in ~/.zshrc, after compinit',
    'patchbay completion fish > ~/.config/fish/completions/patchbay.fish',
  );
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action((words: readonly string[]) => {
      const { candidates, takesFile } = complete(program, words);
      for (const { word, about } of candidates) terminal.out(`${word}\t${printable(about)}\n`);
      if (takesFile) terminal.out(`${FILE_MARK}\n`);
    });
}
