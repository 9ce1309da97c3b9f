import type { ConnectorError, ErrorCode, Fault } from '@patchbay/connectors';

/** What errors are about that are about a single name. */
const FIELD_OF: Partial<Record<ErrorCode, string>> = {
  unknown_connector_type: 'connector_type',
  unknown_entity: 'entity',
  unsupported_action: 'action',
  invalid_cursor: 'cursor',
};

/** The member that errors of a code are about, where they are about a single name. */
export function namedFieldOf(code: ErrorCode): string | undefined {
  return FIELD_OF[code];
}

/**
 * An error about a single name, as a fault of the member that has it.
 *
 * @param field Of that member, where it has another name than such members have.
 */
export function namingFault(error: ConnectorError, field?: string): Fault {
  // Errors about one name list the names there are, and at most the one that was meant.
  const { allowed, didYouMean } = error.details as {
    readonly allowed?: readonly string[];
    readonly didYouMean?: string;
  };
  return {
    field: field ?? namedFieldOf(error.code) ?? 'body',
    errorCode: 'not_allowed',
    message: `is wrong: ${error.message.replace(/\.$/, '')}`,
    ...(allowed === undefined ? {} : { allowed: allowed.join(', ') }),
    ...(didYouMean === undefined ? {} : { didYouMean }),
  };
}
