/**
 * Why the service does not start:
 *
 * | code | meaning |
 * |---|---|
 * | `configuration_invalid` | settings are missing or wrong; the message lists all of them |
 * | `master_key_unusable` | the master key cannot be read |
 * | `operator_key_unusable` | the operator's key cannot be read |
 * | `metrics_token_unusable` | the token that opens the metrics cannot be read |
 * | `client_file_unusable` | the secret of the first application cannot be kept, so none was made |
 * | `master_key_wrong` | the database was sealed with another master key |
 * | `address_unusable` | host and port cannot be listened on |
 */
export type ServiceErrorCode =
  | 'configuration_invalid'
  | 'master_key_unusable'
  | 'operator_key_unusable'
  | 'metrics_token_unusable'
  | 'client_file_unusable'
  | 'master_key_wrong'
  | 'address_unusable';

/** A failure that whoever starts the service can act on; the message says how. Never a secret. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ServiceErrorCode;

  constructor(code: ServiceErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
