import { ConnectorError, type CheckReport, type Clock } from '@patchbay/connectors';
import { startDeadline } from '@patchbay/connectors/definitions';
import { invalidRequest, isJsonObject, untilAborted } from '@patchbay/connectors/engine';
import type { Access } from '../access/access.ts';
import type { Asking } from './asking.ts';
import type { ExecuteRequest } from './execute-request.ts';
import type { Outcome } from './outcome.ts';

/** What tries the credentials of a connector. */
export interface Checker {
  check(access: Access, id: string, asking: Asking): Promise<CheckReport>;
}

/** Whether a call asks, as earlier clients do, if the connector as a whole works. */
export function isHealthCheck({ entity, action }: ExecuteRequest): boolean {
  return entity === '*' && action === 'check';
}

/**
 * Tries the credentials upstream: `{status: 'healthy' | 'unhealthy', error, checked_entity,
 * checked_action}`, of the read that failed, or else of the first.
 *
 * @throws `invalid_request` for params and fields, which a check has none of; `config_required`;
 * `upstream_timeout` at the deadline.
 */
export async function checkHealth(
  parts: { readonly checker: Checker; readonly clock: Clock },
  request: ExecuteRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  requireBare(request);
  const { kind } = request.connector;
  const report = await checkInTime(parts, request, signal);
  const results = report.entity_check_results;
  const told = results.find(({ status }) => status === 'failed') ?? results[0];
  const read = kind.checks.find(({ entity }) => entity === told?.entity);
  const record = {
    status: report.status === 'succeeded' ? 'healthy' : 'unhealthy',
    error: report.error_message ?? null,
    checked_entity: told?.entity ?? null,
    checked_action: read?.action ?? null,
  };
  return { type: 'record', record };
}

async function checkInTime(
  { checker, clock }: { readonly checker: Checker; readonly clock: Clock },
  { access, connector, deadline: time }: ExecuteRequest,
  callSignal: AbortSignal,
): Promise<CheckReport> {
  using deadline = startDeadline(clock, time.leftMs(), callSignal);
  const { signal } = deadline;
  try {
    return await untilAborted(
      checker.check(access, connector.row.id, { signal, caller: access }),
      signal,
    );
  } catch (error) {
    if (!deadline.hasPassed()) throw error;
    throw new ConnectorError(
      'upstream_timeout',
      { entity: '*', action: 'check' },
      { message: `The check took longer than its deadline of ${time.timeoutMs} ms.`, cause: error },
    );
  }
}

function requireBare({ params, selectFields, excludeFields }: ExecuteRequest): void {
  const given = { params, select_fields: selectFields, exclude_fields: excludeFields };
  const faults = Object.entries(given)
    .filter(([, value]) => !isEmpty(value))
    .map(([field]) => ({
      field,
      errorCode: 'not_allowed' as const,
      message: 'does not go with the check of a whole connector',
    }));
  if (faults.length > 0) throw invalidRequest(faults);
}

function isEmpty(value: unknown): boolean {
  return (value ?? null) === null || (isJsonObject(value) && Object.keys(value).length === 0);
}
