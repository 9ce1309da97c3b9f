import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErrorCode } from '@patchbay/connectors';
import { isJsonObject } from '@patchbay/connectors/engine';
import { EXIT_CODES, exitNameOf } from '../../../src/output/exit-codes.ts';
import { callCli } from '../../support/call-cli.ts';
import type { Call, Json } from '../call.ts';
import { failureOf, hitsValue, type ErrorParts, type Failure } from '../outcome.ts';
import type { World } from '../world/world.ts';
import type { Surface } from './surface.ts';

/** The command `patchbay … --json`, in this process. */
export function cliSurface(world: World): Surface {
  const { service, user, folder } = world;
  const settings = {
    PATCHBAY_BASE_URL: service.url,
    PATCHBAY_CLIENT_ID: user.clientId,
    PATCHBAY_CLIENT_SECRET: user.clientSecret,
    PATCHBAY_EXTERNAL_USER_ID: user.externalUserId,
    XDG_CONFIG_HOME: folder,
  };
  const files = { params: join(folder, 'params.json'), output: join(folder, 'download') };
  return {
    name: 'cli',
    run: async (call) => {
      const connector = ['--connector', world.connectorId('cli', call), '--json'];
      await writeFile(files.params, JSON.stringify(call.params ?? {}));
      const { code, out, err } = await callCli([...wordsOf(call, files), ...connector], settings);
      if (code !== 0) return failure({ code, out, err });
      if (call.action === 'download') return { ok: true, value: await readDownload(files, err) };
      assert.equal(err, '');
      const result: unknown = JSON.parse(out);
      return { ok: true, value: call.action === 'search' ? hitsValue(result) : result };
    },
  };
}

interface Files {
  readonly params: string;
  readonly output: string;
}

function wordsOf(call: Call, { params, output }: Files): readonly string[] {
  const { does, entity, action, selectFields, excludeFields, idempotencyKey } = call;
  if (does === 'sync') return ['sync'];
  const search = action === 'search' ? searchWords(call) : undefined;
  if (search !== undefined) return search;
  return [
    'execute',
    entity,
    action,
    ...(call.params === undefined ? [] : ['--params', params]),
    ...(selectFields === undefined ? [] : ['--fields', selectFields.join()]),
    ...(excludeFields === undefined ? [] : ['--exclude', excludeFields.join()]),
    ...(idempotencyKey === undefined ? [] : ['--idempotency-key', idempotencyKey]),
    ...(action === 'download' ? ['--output', output, '--force'] : []),
  ];
}

/** A search in the words of its own command; `undefined` for what that has no words for. */
function searchWords({ entity, params }: Call): readonly string[] | undefined {
  if (!isJsonObject(params) || !isJsonObject(params['query'])) return undefined;
  const { query, limit, cursor, fields, ...others } = params;
  const { filter, sort, ...otherParts } = query;
  const sortWords = sort === undefined ? [] : wordsOfSort(sort);
  const fieldWords = fields === undefined ? [] : wordsOfFields(fields);
  const hasWords =
    Object.keys({ ...others, ...otherParts }).length === 0 &&
    (filter === undefined || isJsonObject(filter)) &&
    (limit === undefined || (Number.isInteger(limit) && Number(limit) > 0)) &&
    (cursor === undefined || typeof cursor === 'string');
  if (!hasWords || sortWords === undefined || fieldWords === undefined) return undefined;
  return [
    'search',
    entity,
    ...(filter === undefined ? [] : ['--filter', JSON.stringify(filter)]),
    ...sortWords,
    ...(limit === undefined ? [] : ['--limit', JSON.stringify(limit)]),
    ...(cursor === undefined ? [] : ['--cursor', cursor]),
    ...fieldWords,
  ];
}

function wordsOfSort(sort: unknown): readonly string[] | undefined {
  if (!Array.isArray(sort)) return undefined;
  const keys = sort.flatMap((key: unknown) => (isJsonObject(key) ? Object.entries(key) : []));
  if (keys.length !== sort.length) return undefined;
  return ['--sort', keys.map(([field, order]) => `${field}:${String(order)}`).join()];
}

function wordsOfFields(fields: unknown): readonly string[] | undefined {
  const isNames = Array.isArray(fields) && fields.every((field) => typeof field === 'string');
  return isNames ? ['--fields', fields.join()] : undefined;
}

/** One line of JSON on standard error, nothing on standard output, and the exit code of its group. */
function failure(finished: {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}): Failure {
  const { code: exitCode, out, err } = finished;
  assert.equal(out, '');
  const { error } = JSON.parse(err) as { readonly error: Partial<ErrorParts> };
  const { code = '', retry = 'never', message = '', details = {} } = error;
  // A code of the table; where it is none, the comparison tells.
  const exit = exitNameOf({ code: code as ErrorCode, retry });
  assert.equal(exitCode, EXIT_CODES[exit].code, err);
  return failureOf({ code, retry, message, details });
}

async function readDownload({ output }: Files, told: string): Promise<Json> {
  const content = await readFile(output);
  return {
    content_type: /\((.+)\)\n$/.exec(told)?.[1],
    content_base64: content.toString('base64'),
  };
}
