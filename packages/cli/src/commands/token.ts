import type { Command } from 'commander';
import { clientFilePath, readClientFile } from '../client-file.ts';
import { requestScopedToken, type ClientCredentials } from '../service-api.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { choice } from './arguments.ts';

interface TokenFlags {
  readonly externalUser: string;
  readonly access: 'read' | 'write';
  readonly baseUrl?: string;
}

/** `patchbay token`: a scoped token from the running service, on standard output alone. */
export function addTokenCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  program
    .command('token')
    .description('print a scoped token of the running service')
    .option('--external-user <id>', 'whom the token acts for', 'demo-user')
    .option('--access <access>', 'read or write', choice('read', 'write'), 'write')
    .option('--base-url <url>', 'where the service is (PATCHBAY_BASE_URL)')
    .addHelpText(
      'after',
      '\nThe application is told by PATCHBAY_CLIENT_ID and PATCHBAY_CLIENT_SECRET, or by the file\n' +
        'that the first start wrote.\n\nExample:\n  $ TOKEN=$(patchbay token --external-user alice)',
    )
    .action(async ({ externalUser, access, baseUrl }: TokenFlags) => {
      const { token, expiresIn } = await requestScopedToken(
        baseUrl ?? environment['PATCHBAY_BASE_URL'] ?? localUrl(environment),
        clientCredentials(environment),
        { externalUserId: externalUser, access },
      );
      terminal.out(`${token}\n`);
      terminal.err(
        `For ${externalUser}, ${access}, good for ${Math.round(expiresIn / 60)} minutes.\n`,
      );
    });
}

function localUrl(environment: NodeJS.ProcessEnv): string {
  return `http://127.0.0.1:${environment['PORT'] ?? '8080'}`;
}

function clientCredentials(environment: NodeJS.ProcessEnv): ClientCredentials {
  const clientId = environment['PATCHBAY_CLIENT_ID'];
  const clientSecret = environment['PATCHBAY_CLIENT_SECRET'];
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  const path = clientFilePath(environment['PATCHBAY_DATA'] ?? './data');
  const credentials = readClientFile(path);
  if (credentials !== undefined) return credentials;
  throw new CommandError(
    `Which application? Set PATCHBAY_CLIENT_ID and PATCHBAY_CLIENT_SECRET, as the first start printed them; there is no ${path} either.`,
  );
}
