import type { ConnectorInfo } from '@patchbay/client';
import type { Terminal } from '../terminal.ts';
import { jsonText } from './json-text.ts';
import { printable } from './printable.ts';
import { renderRecord } from './table.ts';

/** Shows one connector. */
export function showConnector(
  info: ConnectorInfo,
  { json }: { readonly json?: true },
  terminal: Terminal,
): void {
  if (json === true) return terminal.out(jsonText(info, terminal.isInteractive));
  // The template only repeats what the other fields say.
  const { summarized_source_template: _, ...shown } = info;
  terminal.out(renderRecord({ ...shown, warnings: messagesOf(info) }, terminal));
}

/** What a person has to do about connectors, on standard error, since it is no part of what was asked for. */
export function showWarnings(connectors: readonly ConnectorInfo[], terminal: Terminal): void {
  for (const info of connectors)
    for (const message of messagesOf(info))
      terminal.err(`${printable(info.name)} (${info.id}): ${printable(message)}\n`);
}

/** What a person has to do about a connector. */
export function messagesOf({ warnings }: Pick<ConnectorInfo, 'warnings'>): readonly string[] {
  return warnings.map(({ message }) => message);
}
