/** A box that is hard to overlook. */
export function banner(lines: readonly string[]): string {
  const width = Math.max(...lines.map((line) => line.length));
  const edge = '═'.repeat(width + 4);
  const rows = lines.map((line) => `║  ${line.padEnd(width)}  ║`);
  return [`╔${edge}╗`, ...rows, `╚${edge}╝`, ''].join('\n');
}
