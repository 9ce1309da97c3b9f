import type { UpstreamLimits } from '@patchbay/connectors';
import { allKinds, baseUrlFault, nearestName } from '@patchbay/connectors/engine';
import { upstreamUrlVariable, type UpstreamSetting } from '../operations/upstreams.ts';
import type { Environment, Report } from './environment.ts';

const URL_PREFIX = 'PATCHBAY_UPSTREAM_URL_';
const LABEL_PREFIX = 'PATCHBAY_UPSTREAM_LABEL_';
const LIMITS_PREFIX = 'PATCHBAY_UPSTREAM_LIMITS_';
const FILES_PREFIX = 'PATCHBAY_UPSTREAM_FILE_ORIGINS_';
const UPSTREAM_PREFIXES = [URL_PREFIX, LABEL_PREFIX, LIMITS_PREFIX, FILES_PREFIX];
const DEFAULT_LABEL = 'custom';

export function readUpstreams(env: Environment, report: Report): Record<string, UpstreamSetting> {
  const suffixes = new Map(
    allKinds().map((kind) => [upstreamUrlVariable(kind.kind).slice(URL_PREFIX.length), kind]),
  );
  reportUnknownKinds(env, suffixes, report);
  return Object.fromEntries(
    [...suffixes].flatMap(([suffix, kind]) => {
      const baseUrl = env[URL_PREFIX + suffix];
      const limits = readUpstreamLimits(env, LIMITS_PREFIX + suffix, report);
      const label = env[LABEL_PREFIX + suffix];
      const fileOrigins = readOrigins(env, FILES_PREFIX + suffix, report);
      if (baseUrl === undefined) {
        for (const prefix of [LABEL_PREFIX, LIMITS_PREFIX, FILES_PREFIX])
          if (env[prefix + suffix] !== undefined)
            report(prefix + suffix, `says nothing without ${URL_PREFIX}${suffix}`);
        return [];
      }
      const fault = baseUrlFault(kind, baseUrl);
      if (fault !== undefined) report(URL_PREFIX + suffix, fault);
      const setting = {
        baseUrl,
        label: label ?? DEFAULT_LABEL,
        ...(limits === undefined ? {} : { limits }),
        ...(fileOrigins === undefined ? {} : { fileOrigins }),
      };
      return [[kind.kind, setting] as const];
    }),
  );
}

function reportUnknownKinds(
  env: Environment,
  suffixes: ReadonlyMap<string, unknown>,
  report: Report,
): void {
  for (const name of Object.keys(env)) {
    const prefix = UPSTREAM_PREFIXES.find((each) => name.startsWith(each));
    if (prefix === undefined || suffixes.has(name.slice(prefix.length))) continue;
    const nearest = nearestName(name.slice(prefix.length), suffixes.keys());
    const hint = nearest === undefined ? [...suffixes.keys()].join(', ') : prefix + nearest;
    report(name, `names no connector kind; there is ${hint}`);
  }
}

function readUpstreamLimits(
  env: Environment,
  name: string,
  report: Report,
): UpstreamLimits | undefined {
  const text = env[name];
  if (text === undefined || text === 'vendor' || text === 'reactive') return text;
  const factor = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (factor > 0) return factor;
  report(name, `must be vendor, reactive or a factor above 0, got ${JSON.stringify(text)}`);
  return undefined;
}

/** The origins that a variable lists, separated by commas. */
function readOrigins(
  env: Environment,
  name: string,
  report: Report,
): readonly string[] | undefined {
  const origins = env[name]?.split(',').map((origin) => origin.trim());
  if (origins?.some((origin) => URL.parse(origin)?.origin !== origin) === true)
    report(name, 'must be origins such as https://files.example.com, comma-separated');
  return origins;
}
