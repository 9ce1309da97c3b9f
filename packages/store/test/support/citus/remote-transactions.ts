import type { CitusCluster } from './citus-cluster.ts';

/** One transaction of the coordinator, as far as it went beyond it. */
export interface RemoteTransaction {
  /** Ports of the workers that took part. */
  readonly ports: readonly number[];
  /** What was sent to them, in order. */
  readonly commands: readonly string[];
  readonly isTwoPhase: boolean;
}

/** A line of the coordinator's log: its process and transaction, what it sent, and where to. */
const SENT = /^(\S+) NOTICE: {2}issuing (.*)$/;
const WHERE = /^(\S+) DETAIL: {2}on server \S+:(\d+) /;

/** Has the coordinator log what it sends to workers, of connections that are made from now on. */
export async function logRemoteCommands(cluster: CitusCluster): Promise<void> {
  for (const setting of [
    `log_line_prefix = '%c/%v '`,
    `log_min_messages = notice`,
    `citus.log_remote_commands = on`,
  ])
    await cluster.query(`alter system set ${setting}`);
  await cluster.query('select pg_reload_conf()');
}

/** The transactions of a log that wrote beyond the coordinator. */
export function remoteTransactionsIn(log: string): readonly RemoteTransaction[] {
  const byTransaction = new Map<string, { ports: Set<number>; commands: string[] }>();
  for (const line of log.split('\n')) {
    const [, from, command] = SENT.exec(line) ?? WHERE.exec(line) ?? [];
    if (from === undefined || command === undefined) continue;
    const known = byTransaction.get(from) ?? { ports: new Set(), commands: [] };
    byTransaction.set(from, known);
    if (WHERE.test(line)) known.ports.add(Number(command));
    else known.commands.push(command);
  }
  return [...byTransaction.values()].map(({ ports, commands }) => ({
    ports: [...ports],
    commands,
    isTwoPhase: commands.some((command) => command.startsWith('PREPARE TRANSACTION')),
  }));
}
