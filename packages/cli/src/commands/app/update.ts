import { Option, type Command } from 'commander';
import { showApplication } from '../../output/application-view.ts';
import type { OperatorFlags } from '../../service/find-operator-service.ts';
import type { ApplicationInput } from '../../service/operator-service.ts';
import { CommandError, type Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addInputOptions, inputOf, type InputFlags } from './input-options.ts';
import { addItemCommand } from './item.ts';
import { withService, type AppPlace } from './place.ts';

interface UpdateFlags extends OperatorFlags, InputFlags {
  /** `false` for an empty list. */
  readonly origins: boolean;
  readonly returnUrls: boolean;
}

/** `patchbay app update`: name, lists and rate limit. */
export function addAppUpdateCommand(
  app: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = addItemCommand(
    app,
    'update',
    'change an application; what is not given stays as it is',
  )
    .option('--name <name>', 'what to call it')
    .action((id: string, flags: UpdateFlags) => update(id, flags, { terminal, environment }));
  addInputOptions(command)
    .addOption(new Option('--no-origins', 'empty the list of origins').conflicts('origin'))
    .addOption(
      new Option('--no-return-urls', 'empty the list of return URLs').conflicts('returnUrl'),
    )
    .addHelpText(
      'after',
      '\nA list that is given replaces the one before it: name all that shall be on it. An empty list\n' +
        'allows loopback addresses alone, and those only on a service that listens on loopback only.',
    );
  addExamples(
    command,
    'patchbay app update 01970000-0000-7000-8000-000000000000 --name "Support agent" --rate-limit 600',
    'patchbay app update 01970000-0000-7000-8000-000000000000 --origin https://a.example.com --origin https://b.example.com',
  );
}

async function update(id: string, flags: UpdateFlags, place: AppPlace): Promise<void> {
  const change: ApplicationInput = {
    ...inputOf(flags),
    ...(flags.origins ? {} : { allowed_origins: [] }),
    ...(flags.returnUrls ? {} : { allowed_return_urls: [] }),
  };
  if (Object.keys(change).length === 0)
    throw new CommandError(
      'What shall change? Give --name, --origin, --return-url, --rate-limit, --no-origins or --no-return-urls.',
    );
  await withService(flags, place, async (service) => {
    const { id: known } = await service.find(id);
    showApplication(await service.change(known, change), flags, place.terminal);
  });
}
