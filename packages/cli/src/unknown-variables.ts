import { nearestName } from '@patchbay/connectors/definitions';
import { KIND_VARIABLES, knownVariables } from './known-variables.ts';
import { printable } from './output/printable.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'PATCHBAY_';

/** What an orchestrator says of a service that is called `patchbay…`, to everything beside it. */
const SERVICE_LINK = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?$/;
const SERVICE_LINK_VALUE = /^(?:tcp|udp|sctp):\/\//;

/**
 * A sentence for each variable that is set, looks like a setting and is none, with the nearest one that
 * there is. No value is told. A variable of a kind that does not exist is left to whoever reads
 * variables of kinds: it is refused there.
 */
export function unknownVariables(environment: Environment): readonly string[] {
  const known = knownVariables();
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .filter((name) => !isOfSomeKind(name) && !isOfOrchestrator(name, environment[name] ?? ''))
    .toSorted()
    .map((name) => `${printable(name)} is no setting; ${hint(name, known)}`);
}

function hint(name: string, known: readonly string[]): string {
  // The prefix would make everything alike. Some settings have none.
  const byRest = new Map(known.map((each) => [each.replace(PREFIX, ''), each]));
  const nearest = nearestName(name.slice(PREFIX.length), byRest.keys());
  return nearest === undefined
    ? 'docs/configuration.md lists what there is.'
    : `did you mean ${byRest.get(nearest)}?`;
}

function isOfSomeKind(name: string): boolean {
  return KIND_VARIABLES.some(
    ({ before, after }) =>
      name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after),
  );
}

/** An empty one counts as not set. */
function isOfOrchestrator(name: string, value: string): boolean {
  return value === '' || SERVICE_LINK.test(name) || SERVICE_LINK_VALUE.test(value);
}
