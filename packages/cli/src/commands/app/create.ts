import type { Command } from 'commander';
import { applicationJson, credentialLines } from '../../output/application-view.ts';
import { jsonText } from '../../output/json-text.ts';
import type { OperatorFlags } from '../../service/find-operator-service.ts';
import { CommandError, type Terminal } from '../../terminal.ts';
import { addExamples, addJsonOption, addOperatorOptions } from '../options.ts';
import { addInputOptions, inputOf, type InputFlags } from './input-options.ts';
import { EITHER_NOTE } from './notes.ts';
import { withServiceIfAny, type AppPlace } from './place.ts';

type CreateFlags = OperatorFlags & InputFlags & { readonly name: string };

/** `patchbay app create`: another application. */
export function addAppCreateCommand(
  app: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = app
    .command('create')
    .description('make an application and print its client id and secret, once')
    .option('--name <name>', 'what to call it', 'Application')
    .addHelpText('after', EITHER_NOTE)
    .action((flags: CreateFlags) => create(flags, { terminal, environment }));
  addInputOptions(command);
  addJsonOption(command);
  addOperatorOptions(command);
  addExamples(
    command,
    'patchbay app create --name "Support agent"',
    'patchbay app create --name Shop --origin https://shop.example.com --return-url https://shop.example.com/connected',
  );
}

async function create(flags: CreateFlags, place: AppPlace): Promise<void> {
  const { terminal, environment } = place;
  const made =
    (await withServiceIfAny(flags, place, async (service) =>
      applicationJson(await service.create(inputOf(flags))),
    )) ?? (await createInDatabase(flags, environment));
  const { client_id: clientId, client_secret: clientSecret } = made;
  if (flags.json === true) terminal.out(jsonText(made, terminal.isInteractive));
  else terminal.out(credentialLines(clientId, clientSecret));
  terminal.err('The secret is shown this once; keep it.\n');
}

async function createInDatabase(flags: CreateFlags, environment: NodeJS.ProcessEnv) {
  const { name, ...more } = inputOf(flags);
  if (Object.keys(more).length > 0)
    throw new CommandError(
      "--origin, --return-url and --rate-limit need a running service that answers, and its operator's key: see `patchbay app create --help`.",
    );
  const { createApplication } = await import('@patchbay/server');
  const { openDatabase } = await import('../../service/open-database.ts');
  const { store } = await openDatabase(environment);
  await using _ = store;
  const { applicationId, clientId, clientSecret } = await createApplication(store, flags.name);
  return {
    application_id: applicationId,
    name,
    client_id: clientId,
    client_secret: clientSecret,
  };
}
