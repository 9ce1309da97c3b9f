import { ConnectorError } from '../errors.ts';
import { isWrite, type Action, type Entity } from '../vocabulary/index.ts';

/** The operation that an answer is of. */
interface Answered {
  readonly entity: Entity;
  readonly action: Action;
}

/** What is put around an answer has levels of its own, and so has the stack on which it is written. */
const SPARE_LEVELS = 500;

/**
 * Makes sure that what an upstream answered can be written as JSON: that takes a stack, which reading it
 * does not.
 *
 * @param call Where it may be a write, which has happened then.
 * @throws `upstream_contract_broken`; of a write with `applied: true`.
 */
export function requireWritable(answer: unknown, call?: Answered): void {
  let nested = answer;
  for (let level = 0; level < SPARE_LEVELS; level += 1) nested = [nested];
  try {
    JSON.stringify(nested);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw nestedTooDeeply(error, call);
  }
}

/** The error for an answer that JSON cannot be written of. */
export function nestedTooDeeply(
  cause: RangeError,
  call?: Answered,
): ConnectorError<'upstream_contract_broken'> {
  const problem = "The upstream's answer has values that are nested too deeply.";
  if (call === undefined)
    return new ConnectorError('upstream_contract_broken', {}, { message: problem, cause });
  const { entity, action } = call;
  const details = { entity: entity.name, action: action.verb };
  if (!isWrite(action))
    return new ConnectorError('upstream_contract_broken', details, { message: problem, cause });
  return new ConnectorError(
    'upstream_contract_broken',
    { ...details, applied: true },
    {
      message: `The write was accepted, but cannot be shown: ${problem} Do not repeat it. ${action.howToFindOut}`,
      cause,
    },
  );
}
