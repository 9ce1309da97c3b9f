import type { ConnectorInfo } from '@patchbay/client';
import type { Terminal } from '../terminal.ts';
import { jsonText } from './json-text.ts';
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
  terminal.out(renderRecord(shown, terminal));
}
