import { readFileSync } from 'node:fs';

/**
 * Tells the process that started this one where it serves; answers what it has used so far and what
 * `report` adds to that, and ends by `stop` at SIGTERM, or when that process has ended without a word.
 */
export function serve(
  ready: Readonly<Record<string, string>>,
  stop: () => Promise<unknown> | void,
  report: () => Readonly<Record<string, string>> = () => ({}),
): void {
  process.send?.(ready);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const peakBytes = peakKibibytes() * 1024;
    const cpuMicroseconds = String(user + system);
    process.send?.({ peakBytes: String(peakBytes), cpuMicroseconds, ...report() });
  });
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    void Promise.resolve(stop()).then(disconnect);
  };
  process.once('SIGTERM', end);
  process.once('disconnect', end);
}

/** Of a process that was started by one that has ended there is nothing to disconnect. */
function disconnect(): void {
  if (process.connected) process.disconnect();
}

/** Linux's own figure counts what the process had before it became this program, too; this one does not. */
function peakKibibytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(peak);
}
