import { ConnectorError } from '@patchbay/connectors';

/** Translates what Fastify itself refuses; anything else comes back as it is. */
export function fromFastifyError(error: unknown): unknown {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ConnectorError(
        'body_too_large',
        {},
        { message: 'The body may have at most 1 MiB.' },
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ConnectorError(
        'unsupported_media_type',
        {},
        { message: 'The body must be JSON in UTF-8: send "Content-Type: application/json".' },
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ConnectorError(
        'malformed_json',
        {},
        { message: 'The body has another length than Content-Length says.' },
      );
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ConnectorError('route_not_found', {}, { message: 'The path is not a valid one.' });
    default:
      return error;
  }
}
