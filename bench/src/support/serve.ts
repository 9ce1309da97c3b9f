/**
 * Tells the process that started this one where it serves; answers what it has used so far, and ends
 * by `stop` at SIGTERM.
 */
export function serve(
  ready: Readonly<Record<string, string>>,
  stop: () => Promise<unknown> | void,
): void {
  process.send?.(ready);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const peakBytes = process.resourceUsage().maxRSS * 1024;
    process.send?.({ peakBytes: String(peakBytes), cpuMicroseconds: String(user + system) });
  });
  process.once('SIGTERM', () => void Promise.resolve(stop()).then(() => process.disconnect()));
}
