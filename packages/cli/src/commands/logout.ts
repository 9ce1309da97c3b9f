import type { Command } from 'commander';
import { DEFAULT_PROFILE, deleteProfile, profilePath } from '../profile/profile-file.ts';
import { findStoredProfile } from '../profile/stored-profile.ts';
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
      const named = profile ?? (environment['PATCHBAY_PROFILE'] || undefined);
      const name = named ?? DEFAULT_PROFILE;
      const wasThere = deleteProfile(name, environment);
      const path = profilePath(name, environment);
      terminal.err(wasThere ? `Logged out: ${path} is gone.\n` : `There was no ${path}.\n`);
      if (named === undefined) tellWhatIsLeft(terminal, environment);
    });
  addExamples(command, 'patchbay logout', 'patchbay logout --profile staging');
}

/** Without a profile of `patchbay login`, commands use the login that a start has left. */
function tellWhatIsLeft(terminal: Terminal, environment: NodeJS.ProcessEnv): void {
  const left = findStoredProfile({}, environment);
  if (left === undefined) return;
  const { name, profile } = left;
  terminal.err(
    `Commands now use the service that was started here, at ${profile.baseUrl}; \`patchbay logout --profile ${name}\` removes that login too.\n`,
  );
}
