import { isLoopback } from '../profile/service-settings.ts';
import type { Terminal } from '../terminal.ts';

/** Warns where what is about to be sent can be read on its way. @param what As in "the secret". */
export function warnOfClearText(what: string, baseUrl: string, terminal: Terminal): void {
  if (URL.parse(baseUrl)?.protocol !== 'http:' || isLoopback(baseUrl)) return;
  terminal.err(`Beware: http sends ${what} in clear; use https beyond this machine.\n`);
}
