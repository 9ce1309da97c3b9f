import assert from 'node:assert/strict';
import { ERRORS, type ErrorCode } from '@patchbay/connectors';
import type { Call, Json } from '../call.ts';
import { fileValue, hitsValue, type Failure, type Outcome, type WireFault } from '../outcome.ts';
import type { World } from '../world/world.ts';
import type { Surface } from './surface.ts';

/** Plain requests to the service, with scoped tokens. */
export async function httpSurface(world: World): Promise<Surface> {
  const { service, user } = world;
  const { externalUserId } = user;
  const tokens = {
    read: await service.mintScopedToken({ externalUserId, access: 'read' }),
    write: await service.mintScopedToken({ externalUserId, access: 'write' }),
  };
  return {
    name: 'http',
    run: async (call) => {
      const { access = 'write', idempotencyKey } = call;
      const response = await fetch(service.url + pathOf(call, world.connectorId('http', call)), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tokens[access]}`,
          'content-type': 'application/json',
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        body: JSON.stringify(bodyOf(call)),
      });
      return response.ok ? { ok: true, value: await valueOf(call, response) } : problem(response);
    },
  };
}

function pathOf({ does }: Call, id: string): string {
  return does === 'sync'
    ? `/v1/integrations/connectors/${id}/sync`
    : `/api/v1/connectors/sources/${id}/execute`;
}

function bodyOf({ does, entity, action, params, selectFields, excludeFields }: Call): Json {
  if (does === 'sync') return {};
  return { entity, action, params, select_fields: selectFields, exclude_fields: excludeFields };
}

async function valueOf({ does, action }: Call, response: Response): Promise<unknown> {
  if (action === 'download') return readFile(response);
  const answer = (await response.json()) as Json;
  if (does === 'sync') return answer;
  const { result, connector_metadata, warnings = [] } = answer;
  if (action === 'list') {
    const { next_params, ...meta } = connector_metadata as Json;
    return { data: result, meta, next_params, warnings };
  }
  return action === 'search' ? hitsValue(result) : result;
}

async function readFile({ headers, body }: Response): Promise<Json> {
  assert.ok(body !== null);
  return fileValue({
    contentType: headers.get('content-type'),
    sizeBytes: Number(headers.get('content-length')),
    contentRange: headers.get('content-range'),
    bytes: body,
  });
}

/** @see docs/wire.md#errors */
interface Problem extends Pick<Failure, 'retry' | 'message'> {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: readonly (Omit<WireFault, 'allowed' | 'did_you_mean'> & {
    readonly details: Pick<WireFault, 'allowed' | 'did_you_mean'>;
  })[];
  readonly details?: Json;
}

async function problem(response: Response): Promise<Outcome> {
  // The wire contract's, or the comparison will tell.
  const { code, status, retry, message, errors, details = {} } = (await response.json()) as Problem;
  assert.deepEqual([response.status, status], [ERRORS[code].status, ERRORS[code].status]);
  const faults = errors.map(({ details: more, ...fault }) => ({
    ...fault,
    message: withoutSubject(fault),
    ...more,
  }));
  return { ok: false, code, retry, message, faults, details };
}

/** Here alone a message names its field too, for clients that show nothing else. */
function withoutSubject({ field, message }: Pick<WireFault, 'field' | 'message'>): string {
  return message.startsWith(`${field} `) ? message.slice(field.length + 1) : message;
}
