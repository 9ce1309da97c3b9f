import { forbidden } from '../access/reach.ts';

const OWN_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses what a page in a browser sends, unless the page is of this machine. Programs send no
 * `Origin`. Comparing it with `Host` would not do: in DNS rebinding both name the attacker.
 *
 * @throws `forbidden`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
export function requireTrustedOrigin(origin: string | undefined): void {
  if (origin === undefined || OWN_MACHINE.has(hostnameOf(origin))) return;
  throw forbidden('Pages of other sites cannot use MCP: leave out the Origin header.');
}

function hostnameOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : '';
}
