import { checkProse, REQUEST_LINE, SNAKE_CASE, type Report } from './check-action.ts';
import type { Identity } from './identity.ts';
import type { ConnectorKind } from './kind.ts';
import { placeholdersOf } from './placeholders.ts';

/** Reports what is wrong with how a kind says whose credentials are. */
export function checkIdentityReads({ identity, config }: ConnectorKind, report: Report): void {
  if (identity === undefined) return;
  for (const [name, action] of Object.entries(identity.reads)) {
    const path = `identity.reads.${name}`;
    checkProse(path, action, report);
    if (!SNAKE_CASE.test(name) || RESERVED.has(name)) report(path, 'is no name for a read');
    if (!REQUEST_LINE.test(action.request) || placeholdersOf(action.request).length > 0)
      report(`${path}.request`, 'is not "METHOD /path" without params');
  }
  if (identity.accounts.length === 0) report('identity.accounts', 'is empty');
  for (const { path, fact } of factsOf(identity)) {
    const [head = '', variable = ''] = fact.split('.');
    const isThere =
      head === 'config' ? Object.hasOwn(config, variable) : Object.hasOwn(identity.reads, head);
    if (!isThere && fact !== HOST)
      report(path, `"${fact}" begins with no read, config variable or ${HOST}`);
  }
}

const HOST = 'upstream.host';
const RESERVED: ReadonlySet<string> = new Set(['config', 'upstream']);

function factsOf({ accounts, principal }: Identity) {
  const ofAccounts = accounts.flatMap((facts, index) =>
    Object.entries(facts).map(([name, fact]) => ({
      path: `identity.accounts.${index}.${name}`,
      fact: String(fact),
    })),
  );
  return [...ofAccounts, { path: 'identity.principal', fact: principal }];
}
