import { getHeapStatistics } from 'node:v8';

/** What a process was started with, and what it could be started with instead. */
interface StartedWith {
  /** Flags of Node.js on its command line. */
  readonly flags: readonly string[];
  /** Those that `NODE_OPTIONS` adds. */
  readonly nodeOptions: string;
  /** How large its heap may become, in bytes. */
  readonly heapBytes: number;
}

const MIB = 1024 * 1024;

/**
 * Node.js lets garbage lie as long as there is memory: a process that copies a large account then takes some
 * 500 MB, and with these some 300 MB.
 *
 * @see docs/decisions/2026-11-23-a-worker-collects-garbage-sooner.md
 */
const OLD_SPACE = { name: '--max-old-space-size', megabytes: 1_024 } as const;
const SEMI_SPACE = { name: '--max-semi-space-size', megabytes: 32 } as const;

/** The flags that a worker lacks; what the operator has said of the same, in either place, wins. */
export function missingHeapFlags({ flags, nodeOptions, heapBytes }: StartedWith): string[] {
  const given = `${flags.join(' ')} ${nodeOptions}`.replaceAll('_', '-');
  // Where there is less memory than that, Node.js has chosen a smaller heap by itself.
  const wanted = heapBytes > OLD_SPACE.megabytes * MIB ? [SEMI_SPACE, OLD_SPACE] : [];
  return wanted
    .filter(({ name }) => !given.includes(name))
    .map(({ name, megabytes }) => `${name}=${megabytes}`);
}

/**
 * Puts the same command in place of this process, with a heap for a worker, unless it has one: they can only
 * be given to a process that begins. Process id, streams and environment stay. On Windows nothing happens.
 */
export function replaceByWorker(): void {
  if (process.platform === 'win32') return;
  const { execPath, execArgv, argv, env } = process;
  const missing = missingHeapFlags({
    flags: execArgv,
    nodeOptions: env['NODE_OPTIONS'] ?? '',
    heapBytes: getHeapStatistics().heap_size_limit,
  });
  if (missing.length === 0) return;
  process.execve?.(execPath, [execPath, ...execArgv, ...missing, ...argv.slice(1)], env);
}
