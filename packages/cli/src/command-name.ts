/** What to type before a subcommand: in a checkout, npm runs the command from its sources. */
export const COMMAND_NAME = import.meta.url.endsWith('.ts')
  ? 'npm run -s patchbay --'
  : 'npx patchbay';
