import type { Command } from 'commander';
import { showApplication } from '../../output/application-view.ts';
import type { OperatorFlags } from '../../service/find-operator-service.ts';
import type { Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addItemCommand } from './item.ts';
import { withService } from './place.ts';

/** `patchbay app show`: all that is known of an application, but its secrets. */
export function addAppShowCommand(
  app: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = addItemCommand(
    app,
    'show',
    'show an application: its lists, its rate limit and the ids of its secrets',
  ).action((id: string, flags: OperatorFlags) =>
    withService(flags, { terminal, environment }, async (service) =>
      showApplication(await service.find(id), flags, terminal),
    ),
  );
  addExamples(command, 'patchbay app show 01970000-0000-7000-8000-000000000000');
}
