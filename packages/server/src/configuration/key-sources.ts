import { isAbsolute, resolve } from 'node:path';
import { operatorKeyPath, type OperatorKeySource } from '../access/load-operator-key.ts';
import { OPERATOR_KEY_EXPECTS, parseOperatorKey } from '../access/operator-key.ts';
import {
  METRICS_TOKEN_EXPECTS,
  parseMetricsToken,
  type MetricsTokenSource,
} from '../metrics/metrics-token.ts';
import type { MasterKeySource } from '../vault/load-master-keys.ts';
import { MASTER_KEY_EXPECTS, parseMasterKey } from '../vault/master-key.ts';
import type { Environment, Report } from './environment.ts';

export function readMasterKey(
  env: Environment,
  dataFolder: string,
  report: Report,
): MasterKeySource {
  const text = env['PATCHBAY_MASTER_KEY'];
  const file = env['PATCHBAY_MASTER_KEY_FILE'];
  // Next to the data folder: the pair moves together, yet a copy of the folder opens nothing.
  const path = resolve(file ?? `${dataFolder}.key`);
  if (file !== undefined && isInside(path, dataFolder))
    report('PATCHBAY_MASTER_KEY_FILE', `must lie outside the data folder ${dataFolder}`);
  if (text !== undefined && file !== undefined)
    report('PATCHBAY_MASTER_KEY', 'and PATCHBAY_MASTER_KEY_FILE exclude each other');
  if (text !== undefined) {
    const key = parseMasterKey(text);
    if (key !== undefined) return { from: 'environment', key };
    report('PATCHBAY_MASTER_KEY', `must be ${MASTER_KEY_EXPECTS}`);
  } else if (env['DATABASE_URL'] !== undefined && file === undefined) {
    report(
      'PATCHBAY_MASTER_KEY',
      `is required with DATABASE_URL, the same for every process: ${MASTER_KEY_EXPECTS}`,
    );
  }
  const mayCreate = env['DATABASE_URL'] === undefined;
  return { from: 'file', path, mayCreate, isNamedByOperator: file !== undefined };
}

export function readOldMasterKey(env: Environment, report: Report): MasterKeySource | undefined {
  const text = env['PATCHBAY_OLD_MASTER_KEY'];
  const file = env['PATCHBAY_OLD_MASTER_KEY_FILE'];
  if (text !== undefined && file !== undefined)
    report('PATCHBAY_OLD_MASTER_KEY', 'and PATCHBAY_OLD_MASTER_KEY_FILE exclude each other');
  if (text === undefined)
    return file === undefined
      ? undefined
      : { from: 'file', path: resolve(file), mayCreate: false, isNamedByOperator: true };
  const key = parseMasterKey(text);
  if (key !== undefined) return { from: 'environment', key };
  report('PATCHBAY_OLD_MASTER_KEY', `must be ${MASTER_KEY_EXPECTS}`);
  return undefined;
}

export function readOperatorKey(
  env: Environment,
  dataFolder: string,
  report: Report,
): OperatorKeySource | undefined {
  const text = env['PATCHBAY_OPERATOR_KEY'];
  const file = env['PATCHBAY_OPERATOR_KEY_FILE'];
  if (text !== undefined && file !== undefined)
    report('PATCHBAY_OPERATOR_KEY', 'and PATCHBAY_OPERATOR_KEY_FILE exclude each other');
  if (text !== undefined) {
    const key = parseOperatorKey(text);
    if (key !== undefined) return { from: 'environment', key };
    report('PATCHBAY_OPERATOR_KEY', `must be ${OPERATOR_KEY_EXPECTS}`);
  }
  // A key of several processes is nobody's to make.
  if (file === undefined && env['DATABASE_URL'] !== undefined) return undefined;
  const path = resolve(file ?? operatorKeyPath(dataFolder));
  if (file !== undefined && isInside(path, dataFolder))
    report('PATCHBAY_OPERATOR_KEY_FILE', `must lie outside the data folder ${dataFolder}`);
  return {
    from: 'file',
    path,
    mayCreate: file === undefined,
    isNamedByOperator: file !== undefined,
  };
}

export function readMetricsToken(env: Environment, report: Report): MetricsTokenSource | undefined {
  const text = env['PATCHBAY_METRICS_TOKEN'];
  const file = env['PATCHBAY_METRICS_TOKEN_FILE'];
  if (text !== undefined && file !== undefined)
    report('PATCHBAY_METRICS_TOKEN', 'and PATCHBAY_METRICS_TOKEN_FILE exclude each other');
  if (text === undefined)
    return file === undefined ? undefined : { from: 'file', path: resolve(file) };
  const token = parseMetricsToken(text);
  if (token !== undefined) return { from: 'environment', token };
  report('PATCHBAY_METRICS_TOKEN', `must be ${METRICS_TOKEN_EXPECTS}`);
  return undefined;
}

function isInside(path: string, folder: string): boolean {
  return isAbsolute(path) && (path === folder || path.startsWith(`${folder}/`));
}
