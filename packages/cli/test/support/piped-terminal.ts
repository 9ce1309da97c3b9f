import type { Terminal } from '../../src/terminal.ts';

/** A terminal that is none: what is said goes into pipes. */
export function pipedTerminal(): {
  readonly terminal: Terminal;
  readonly said: { readonly out: string; readonly err: string };
} {
  const said = { out: '', err: '' };
  const terminal: Terminal = {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    isInteractive: false,
    canAsk: false,
    canRedraw: false,
    canRedrawErr: false,
    width: () => Infinity,
    errWidth: () => Infinity,
    height: () => Infinity,
    bold: (text) => text,
  };
  return { terminal, said };
}
