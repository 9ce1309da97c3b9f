import type { Command } from 'commander';
import { DEFAULT_PROFILE, deleteProfile, profilePath } from '../profile/profile-file.ts';
import type { Terminal } from '../terminal.ts';
import { addExamples } from './options.ts';

/** `patchbay logout`: removes what `patchbay login` stored. */
export function addLogoutCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('logout')
    .description('remove a stored login; the application itself stays')
    .option('--profile <name>', 'a profile that `patchbay login` stored (PATCHBAY_PROFILE)')
    .action(({ profile }: { readonly profile?: string }) => {
      const name = profile ?? (environment['PATCHBAY_PROFILE'] || DEFAULT_PROFILE);
      const wasThere = deleteProfile(name, environment);
      const path = profilePath(name, environment);
      terminal.err(wasThere ? `Logged out: ${path} is gone.\n` : `There was no ${path}.\n`);
    });
  addExamples(command, 'patchbay logout', 'patchbay logout --profile staging');
}
