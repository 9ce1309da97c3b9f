import { Type } from 'typebox';
import { checkBody, FaultList } from './input.ts';

type Json = Readonly<Record<string, unknown>>;

/** What becomes of what a connector had. */
export interface DeletionInput {
  /** Its credentials stay as they are upstream, even those that would be revoked. */
  readonly leavesCredentials: boolean;
}

const IN_QUERY = {
  revoke: {
    schema: Type.Enum(['true', 'false']),
    isRequired: false,
    expects: '"true" or "false"',
  },
} as const;
const IN_BODY = {
  revoke: { schema: Type.Boolean(), isRequired: false, expects: 'true or false' },
} as const;

/**
 * Checks what goes along with a deletion, in the query or the body: `revoke`.
 *
 * @throws `invalid_request` with every fault; also where the two say different things.
 */
export function checkDeletion(query: Json, body: Json | undefined): DeletionInput {
  const faults = new FaultList();
  const { revoke: asText } = checkBody(IN_QUERY, query, faults);
  const { revoke: inBody } = checkBody(IN_BODY, body ?? {}, faults);
  const inQuery = asText === undefined ? undefined : asText === 'true';
  if (inQuery !== undefined && typeof inBody === 'boolean' && inQuery !== inBody)
    faults.add({
      field: 'revoke',
      errorCode: 'conflict',
      message: 'says one thing in the query and another in the body',
    });
  faults.throwAny();
  return { leavesCredentials: (inQuery ?? inBody) === false };
}
