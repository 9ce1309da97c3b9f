import type { Command } from 'commander';
import { requireYes } from '../../input/require-yes.ts';
import { credentialLines } from '../../output/application-view.ts';
import { jsonText } from '../../output/json-text.ts';
import { showTable } from '../../output/show-table.ts';
import type { OperatorFlags } from '../../service/find-operator-service.ts';
import { CommandError, type Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addItemCommand } from './item.ts';
import { withService, type AppPlace } from './place.ts';

const ID = '01970000-0000-7000-8000-000000000000';
const COLUMNS = ['id', 'created_at'];

interface RemoveFlags extends OperatorFlags {
  readonly yes?: true;
}

/** `patchbay app secrets …`: what an application logs in with. */
export function addAppSecretsCommand(
  app: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const place = { terminal, environment };
  const secrets = app
    .command('secrets')
    .description('client secrets of an application: several, so that they can be changed in use');
  addExamples(secrets, `patchbay app secrets list ${ID}`);
  const list = addItemCommand(
    secrets,
    'list',
    'list the secrets by their ids, oldest first',
  ).action((id: string, flags: OperatorFlags) => listSecrets(id, flags, place));
  addExamples(list, `patchbay app secrets list ${ID}`);
  const add = addItemCommand(secrets, 'add', 'make another secret and print it, once').action(
    (id: string, flags: OperatorFlags) => addSecret(id, flags, place),
  );
  addExamples(add, `patchbay app secrets add ${ID}`);
  const remove = addItemCommand(
    secrets,
    'remove',
    'delete a secret: it logs in nowhere from then on; the last one stays',
  )
    .argument('<secret-id>', 'as `patchbay app secrets list` shows it')
    .option('--yes', 'do not ask')
    .action((id: string, secretId: string, flags: RemoveFlags) =>
      removeSecret({ id, secretId }, flags, place),
    );
  addExamples(remove, `patchbay app secrets remove ${ID} 01970000-0000-7000-8000-000000000001`);
}

async function listSecrets(id: string, flags: OperatorFlags, place: AppPlace): Promise<void> {
  const { terminal } = place;
  const { secrets } = await withService(flags, place, (service) => service.find(id));
  if (flags.json === true) return terminal.out(jsonText(secrets, terminal.isInteractive));
  showTable(COLUMNS, secrets, terminal);
  if (secrets.length === 0) terminal.err('It is revoked and has no secret.\n');
}

async function addSecret(id: string, flags: OperatorFlags, place: AppPlace): Promise<void> {
  const { terminal } = place;
  const { clientId, added } = await withService(flags, place, async (service) => {
    const { id: known, client_id } = await service.find(id);
    return { clientId: client_id, added: await service.addSecret(known) };
  });
  if (flags.json === true) terminal.out(jsonText(added, terminal.isInteractive));
  else terminal.out(credentialLines(clientId, added.client_secret));
  terminal.err(`The secret is shown this once; keep it. Its id is ${added.id}.\n`);
}

async function removeSecret(
  { id, secretId }: { readonly id: string; readonly secretId: string },
  flags: RemoveFlags,
  place: AppPlace,
): Promise<void> {
  const { terminal } = place;
  await withService(flags, place, async (service) => {
    const { id: known, name, client_id: clientId, secrets } = await service.find(id);
    const secret = secrets.find((each) => each.id === secretId.toLowerCase());
    if (secret === undefined)
      throw new CommandError(
        `The application has no secret ${JSON.stringify(secretId.slice(0, 64))}; it has ${secrets.map((each) => each.id).join(', ') || 'none'}.`,
      );
    await requireYes(
      terminal,
      flags.yes,
      `Delete the secret ${secret.id} of the application "${name}" (${clientId})?`,
    );
    await service.removeSecret(known, secret.id);
    if (flags.json === true) terminal.out(jsonText({ id: secret.id }, terminal.isInteractive));
    else terminal.err(`Deleted the secret ${secret.id}.\n`);
  });
}
