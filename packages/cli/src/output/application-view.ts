import type { Application, ListedApplication } from '@patchbay/connectors/wire';
import type { Terminal } from '../terminal.ts';
import { jsonText } from './json-text.ts';
import { shellWord } from './shell-word.ts';
import { renderRecord } from './table.ts';

/** An application for programs: its id is called as it always was, whichever way it was found. */
export function applicationJson<A extends Pick<ListedApplication, 'id'>>({
  id,
  ...rest
}: A): { readonly application_id: string } & Omit<A, 'id'> {
  return { application_id: id, ...rest };
}

/** Shows one application, with the ids of its secrets. */
export function showApplication(
  application: Application,
  { json }: { readonly json?: true },
  terminal: Terminal,
): void {
  const shown = applicationJson(application);
  if (json === true) return terminal.out(jsonText(shown, terminal.isInteractive));
  const secrets = application.secrets.map(({ id }) => id);
  terminal.out(renderRecord({ ...shown, secrets }, terminal));
}

/**
 * What a program logs in with, as lines for `eval "$(…)"`. Whatever the service calls it, they set two
 * variables and do nothing else.
 */
export function credentialLines(clientId: string, clientSecret: string): string {
  return `PATCHBAY_CLIENT_ID=${shellWord(clientId)}\nPATCHBAY_CLIENT_SECRET=${shellWord(clientSecret)}\n`;
}
