import { Type } from 'typebox';
import {
  checkMembers,
  ConnectorError,
  isJsonObject,
  quote,
  type Fault,
} from '@patchbay/connectors';

const MAX_HITS = 10_000;

/** The parameters of a search; what stands inside `query` is not judged here. */
const SEARCH_PARAMS = {
  query: { schema: Type.Object({}), isRequired: true, expects: 'an object (it may be empty)' },
  limit: {
    schema: Type.Integer({ minimum: 1, maximum: MAX_HITS }),
    isRequired: false,
    expects: `an integer from 1 to ${MAX_HITS}`,
  },
  cursor: { schema: Type.String(), isRequired: false, expects: 'a string' },
  fields: { schema: Type.Array(Type.Unknown()), isRequired: false, expects: 'an array' },
} as const;

/** How long until it is worth asking again, in seconds. */
const RETRY_AFTER_SECONDS = 30;

/** JSON Schema of the params of a search. */
export const SEARCH_PARAMS_SCHEMA = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(SEARCH_PARAMS).map(([name, { schema }]) => [name, schema]),
  ),
  required: ['query'],
  additionalProperties: false,
} as const;

/**
 * Answers a search of an entity of which nothing is replicated: wrong params are said first.
 *
 * @throws `invalid_params`, `invalid_query`, or else `search_not_ready`.
 */
export function refuseSearch(entityName: string, params: unknown): never {
  const faults = searchFaults(params ?? {});
  if (faults.length > 0) {
    const isAboutQuery = faults.every(({ field }) => /^params\.(query|fields)/.test(field));
    const told = faults.map(({ field, message }) => `${field} ${message}`).join('; ');
    throw new ConnectorError(
      isAboutQuery ? 'invalid_query' : 'invalid_params',
      { entity: entityName, action: 'search', faults },
      { message: `The params of ${entityName}.search are wrong: ${told}` },
    );
  }
  throw new ConnectorError(
    'search_not_ready',
    { entity: entityName, action: 'search', retryAfterSeconds: RETRY_AFTER_SECONDS },
    {
      message: `No ${entityName} of this connector have been replicated yet; use list or get meanwhile.`,
    },
  );
}

function searchFaults(params: unknown): readonly Fault[] {
  if (!isJsonObject(params))
    return [
      {
        field: 'params',
        errorCode: 'wrong_type',
        message: `must be an object, got ${quote(params)}`,
      },
    ];
  return checkMembers(SEARCH_PARAMS, params, 'params').faults;
}
