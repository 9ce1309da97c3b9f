import { Type } from 'typebox';
import { ConnectorError } from '@patchbay/connectors';
import type { Applications } from '../access/applications.ts';
import { checkBody, FaultList } from '../operations/input.ts';
import type { Call, RouteParameter } from './route.ts';

/** Names the application whose call it is. */
const NAME = 'application_id';

/** What routes whose path does not tell whose they are take besides their own query. */
export const APPLICATION_PARAMETER: RouteParameter = {
  name: NAME,
  doc: "The application that the call is for; the operator's key, which acts in its place, needs it.",
  schema: { type: 'string', format: 'uuid' },
};

/**
 * A call as one of the application that its query names: the operator's key acts in the place of any, a token is good
 * for its own alone. Nothing else of the query is lost.
 *
 * @throws `invalid_request` where the operator does not say which; `application_not_found`.
 */
export async function inPlaceOfApplication(
  call: Call,
  applications: Pick<Applications, 'accessOf'>,
): Promise<Call> {
  const { access, query } = call;
  const { [NAME]: given, ...rest } = query;
  const isOperator = access.type === 'operator';
  const members = {
    [NAME]: { schema: Type.String(), isRequired: isOperator, expects: 'the id of an application' },
  };
  const faults = new FaultList();
  const { [NAME]: asked } = checkBody(members, { [NAME]: given }, faults);
  faults.throwAny();
  if (isOperator) return actAs(String(asked), { ...call, query: rest }, applications);
  if (typeof asked === 'string' && asked.toLowerCase() !== access.applicationId)
    throw new ConnectorError('application_not_found', {});
  return { ...call, query: rest };
}

/**
 * A call in the place of the application; its line in the log names both.
 *
 * @throws `application_not_found`, also for one that is revoked.
 */
export async function actAs(
  applicationId: string,
  call: Call,
  applications: Pick<Applications, 'accessOf'>,
): Promise<Call> {
  const access = await applications.accessOf(applicationId);
  call.log.applicationId = access.applicationId;
  return { ...call, access: { ...access, isByOperator: true } };
}
