import { isConnectorError } from '../errors.ts';
import type { CallOptions } from '../vocabulary/index.ts';
import type { Warning } from '../warning.ts';
import { checkCallOptions, checkOptions } from './check-options.ts';
import type { ConnectorEngine } from './connector-engine.ts';

/** Whether the credentials work for one entity. */
export interface EntityCheck {
  readonly entity: string;
  readonly status: 'succeeded' | 'failed';
  readonly error_code?: string;
  readonly error_message?: string;
}

/** Whether the credentials work. */
export interface CheckResult {
  readonly status: 'succeeded' | 'failed';
  readonly error_message?: string;
  readonly entity_check_results: readonly EntityCheck[];
}

/** Whether the credentials work, and whether they will go on. */
export interface CheckReport extends CheckResult {
  /** `credentials_ending` where a person has to give others; mostly none. */
  readonly warnings: readonly Warning[];
}

/**
 * Tries the credentials with the cheap reads that the definition names, one an entity. Failures
 * of the upstream are the report's content; only faults of the caller and aborts are thrown.
 */
export async function checkConnector(
  engine: ConnectorEngine,
  options?: CallOptions,
): Promise<CheckResult> {
  checkCallOptions(options);
  checkOptions({ timeoutMs: options?.timeoutMs });
  engine.requireConfig();
  const results = await Promise.all(
    engine.kind.checks.map(async ({ entity, action, params }): Promise<EntityCheck> => {
      try {
        await engine.execute(entity, action, params, options);
        return { entity, status: 'succeeded' };
      } catch (error) {
        if (!isConnectorError(error)) throw error;
        return { entity, status: 'failed', error_code: error.code, error_message: error.message };
      }
    }),
  );
  const failed = results.find(({ status }) => status === 'failed');
  return {
    status: failed === undefined ? 'succeeded' : 'failed',
    ...(failed?.error_message === undefined ? {} : { error_message: failed.error_message }),
    entity_check_results: results,
  };
}
