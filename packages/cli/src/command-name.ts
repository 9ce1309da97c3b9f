import { basename, delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from './output/shell-word.ts';

const IS_CHECKOUT = import.meta.url.endsWith('.ts');

/** What to type before a subcommand: in a checkout, npm runs the command from its sources. */
export const COMMAND_NAME = IS_CHECKOUT ? 'npm run -s patchbay --' : 'npx patchbay';

/** How the command was started. */
interface Invocation {
  /** The script that node runs, absolute: a link with the name of the command, or a file. */
  readonly script: string | undefined;
  /** Where commands are looked for, as PATH. */
  readonly path: string | undefined;
}

/**
 * The same in whatever folder it is typed: there npm knows no checkout, and npx would ask the registry
 * for a package of that name, which is nobody's.
 */
export function commandAnywhere(invocation: Invocation): string {
  return IS_CHECKOUT
    ? `npm --prefix ${shellWord(checkoutFolder())} run -s patchbay --`
    : installedCommand(invocation);
}

/** The same of an installed command. */
export function installedCommand({ script, path = '' }: Invocation): string {
  if (script === undefined) return 'patchbay';
  // npx puts such folders on the path of its child alone.
  const isOfProject = /[\\/]node_modules[\\/]/.test(script);
  const isOnPath = path.split(delimiter).includes(dirname(script));
  if (!isOfProject && isOnPath) return shellWord(basename(script));
  return script.endsWith('.js') ? `node ${shellWord(script)}` : shellWord(script);
}

function checkoutFolder(): string {
  return fileURLToPath(new URL('../../..', import.meta.url)).replace(/(?<=.)[\\/]$/, '');
}
