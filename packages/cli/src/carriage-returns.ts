import { knownVariables, type VARIABLES } from './known-variables.ts';
import { CommandError } from './terminal.ts';

type Variable = (typeof VARIABLES)[number];

/** Read without the white space around them, as they often come from files. */
const TRIMMED: ReadonlySet<string> = new Set<Variable>([
  'PATCHBAY_MASTER_KEY',
  'PATCHBAY_METRICS_TOKEN',
  'PATCHBAY_OLD_MASTER_KEY',
  'PATCHBAY_OPERATOR_KEY',
]);

/**
 * Refuses settings that end with a carriage return, which each line of a Windows file has, and which nobody
 * sees: it would be part of a client id, of a secret, of an external user or of the name of the data folder.
 *
 * @throws CommandError that names them all, and none of their values.
 */
export function refuseCarriageReturns(environment: NodeJS.ProcessEnv): void {
  const names = knownVariables().filter(
    (name) => !TRIMMED.has(name) && environment[name]?.endsWith('\r') === true,
  );
  if (names.length === 0) return;
  const [end, them] = names.length === 1 ? ['ends', 'it'] : ['end', 'them'];
  throw new CommandError(
    `${names.join(', ')} ${end} with a carriage return: the file that sets ${them} has the line ends of Windows. Save it with those of Unix (LF).`,
  );
}
