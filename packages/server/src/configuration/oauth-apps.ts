import { isConnectorError, type ConnectorKind } from '@patchbay/connectors';
import {
  allKinds,
  checkConfig,
  distributionNamesOf,
  nearestName,
} from '@patchbay/connectors/engine';
import { scopesOf } from '../consent/consent-input.ts';
import { appVariable, type ConsentApp } from '../consent/oauth-apps.ts';
import { distributionVariable } from '../operations/served-kinds.ts';
import type { Environment, Report } from './environment.ts';

const DISTRIBUTION_VARIABLE = /^PATCHBAY_OAUTH_.*_DISTRIBUTION$/;
const APP_MEMBERS = ['CLIENT_ID', 'CLIENT_SECRET', 'SCOPES', 'SUBDOMAIN'] as const;
const APP_VARIABLE = new RegExp(`^PATCHBAY_OAUTH_.*_(?:${APP_MEMBERS.join('|')})$`);

export function readDistributions(env: Environment, report: Report): Record<string, string> {
  const known = new Map(
    allKinds().flatMap((kind) => {
      const names = distributionNamesOf(kind);
      return names.length === 0 ? [] : [[distributionVariable(kind.kind), { kind, names }]];
    }),
  );
  const given = Object.entries(env).filter(([name]) => DISTRIBUTION_VARIABLE.test(name));
  return Object.fromEntries(
    given.flatMap(([variable, value = '']) => {
      const { kind, names } = known.get(variable) ?? {};
      if (kind === undefined || names === undefined)
        report(variable, `is no setting; there is ${[...known.keys()].join(', ')}`);
      else if (names.includes(value)) return [[kind.kind, value] as const];
      else report(variable, `must be one of ${names.join(', ')}, got ${JSON.stringify(value)}`);
      return [];
    }),
  );
}

export function readOAuthApps(env: Environment, report: Report): Record<string, ConsentApp> {
  const known = allKinds().flatMap(({ kind }) =>
    APP_MEMBERS.map((member) => appVariable(kind, member)),
  );
  for (const name of Object.keys(env).filter((each) => APP_VARIABLE.test(each)))
    if (!known.includes(name)) {
      const nearest = nearestName(name, known);
      const hint = nearest === undefined ? known.join(', ') : nearest;
      report(name, `names no connector kind; there is ${hint}`);
    }
  return Object.fromEntries(
    allKinds().flatMap((kind) => {
      const app = readOAuthApp(env, kind, report);
      return app === undefined ? [] : [[kind.kind, app] as const];
    }),
  );
}

function readOAuthApp(
  env: Environment,
  kind: ConnectorKind,
  report: Report,
): ConsentApp | undefined {
  const variables = {
    clientId: appVariable(kind.kind, 'CLIENT_ID'),
    clientSecret: appVariable(kind.kind, 'CLIENT_SECRET'),
    scopes: appVariable(kind.kind, 'SCOPES'),
    subdomain: appVariable(kind.kind, 'SUBDOMAIN'),
  };
  const { clientId = '', clientSecret = '', scopes, subdomain } = valuesOf(env, variables);
  if ([clientId, clientSecret, scopes ?? '', subdomain ?? ''].join('') === '') return undefined;
  if (clientId === '') report(variables.clientId, 'is required for an OAuth app');
  if (clientSecret === '') report(variables.clientSecret, `is required with ${variables.clientId}`);
  const asked = scopesOf(scopes);
  if (asked === 'wrong') report(variables.scopes, 'must be scopes, separated by commas or spaces');
  if (subdomain !== undefined)
    checkSubdomain(kind, subdomain, (problem) => report(variables.subdomain, problem));
  return {
    clientId,
    clientSecret,
    ...(asked === undefined || asked === 'wrong' ? {} : { scopes: asked }),
    ...(subdomain === undefined ? {} : { subdomain }),
  };
}

/** What variables say, by what they are for. */
function valuesOf<Name extends string>(
  env: Environment,
  variables: Readonly<Record<Name, string>>,
): Partial<Record<Name, string>> {
  const values: Partial<Record<Name, string>> = {};
  for (const name of Object.keys(variables) as Name[]) {
    const value = env[variables[name]];
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function checkSubdomain(
  kind: ConnectorKind,
  subdomain: string,
  report: (problem: string) => void,
): void {
  try {
    checkConfig(kind, { subdomain });
  } catch (error) {
    if (!isConnectorError(error, 'invalid_config')) throw error;
    report(`is wrong: ${error.message}`);
  }
}
