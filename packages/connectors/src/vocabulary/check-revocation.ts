import { checkProse, REQUEST_LINE, type Report } from './check-action.ts';
import type { AuthMethod } from './auth.ts';
import type { ConnectorKind } from './kind.ts';
import type { Ending } from './revocation.ts';
import { placeholdersOf } from './placeholders.ts';

/** Reports what is wrong with how credentials of a kind are revoked, and with the days on which they end. */
export function checkEnds(definition: ConnectorKind, report: Report): void {
  checkRevocation(definition, report);
  for (const [name, method] of Object.entries(definition.auth))
    checkMethod(definition, { path: `auth.${name}`, method }, report);
}

function checkRevocation({ oauth, identity }: ConnectorKind, report: Report): void {
  const revocation = oauth?.revocation;
  if (revocation === undefined) return;
  const path = 'oauth.revocation';
  const { lookup, request, ends } = revocation;
  checkProse(path, revocation, report);
  checkRequest(`${path}.request`, { request, names: lookup === undefined ? [] : ['id'] }, report);
  if (lookup !== undefined)
    checkRequest(`${path}.lookup.request`, { request: lookup.request, names: [] }, report);
  if (ends !== 'token' && identity === undefined)
    report(`${path}.ends`, `is "${ends}", but the kind does not say whose credentials are`);
}

function checkRequest(
  path: string,
  { request, names }: { readonly request: string; readonly names: readonly string[] },
  report: Report,
): void {
  if (!REQUEST_LINE.test(request)) report(path, 'is not "METHOD /path"');
  if (placeholdersOf(request).join() !== names.join())
    report(path, names.length === 0 ? 'has params' : `has not the one param {${names.join()}}`);
}

function checkMethod(
  { oauth }: ConnectorKind,
  { path, method }: { readonly path: string; readonly method: AuthMethod },
  report: Report,
): void {
  const { revoked, grants = [], use, ending } = method;
  if (revoked !== undefined && oauth?.revocation === undefined)
    report(`${path}.revoked`, 'is there, but the authorization server has no revocation');
  if (revoked !== undefined && (grants.length === 0 || use.scheme !== 'bearer'))
    report(`${path}.revoked`, 'is there, but no authorization server issues these credentials');
  if (ending !== undefined) checkEnding(`${path}.ending`, ending, report);
}

function checkEnding(path: string, ending: Ending, report: Report): void {
  const { on } = ending;
  const day = new Date(`${on}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== on)
    report(`${path}.on`, `"${on}" is no day written YYYY-MM-DD`);
  checkProse(path, ending, report);
}
