import { Type } from 'typebox';
import { invalidRequest } from '@patchbay/connectors/engine';
import { isUuid } from '@patchbay/store';
import { MAX_CLIENT_ID, MAX_CLIENT_SECRET } from '../access/client-secret.ts';
import { checkBody, FaultList } from '../operations/input.ts';

type Json = Readonly<Record<string, unknown>>;

/** What somebody signs in with. */
export type SignIn =
  | { readonly by: 'link'; readonly secret: string }
  | { readonly by: 'operatorKey'; readonly key: string }
  | { readonly by: 'client'; readonly clientId: string; readonly clientSecret: string };

/** Longest secret of a link, and longest operator's key, in characters. */
export const MAX_LINK_SECRET = 255;
export const MAX_OPERATOR_KEY = 1_024;

const LONGEST: Readonly<Record<string, number>> = {
  link_secret: MAX_LINK_SECRET,
  operator_key: MAX_OPERATOR_KEY,
  client_id: MAX_CLIENT_ID,
  client_secret: MAX_CLIENT_SECRET,
};

/** Not quoted in errors, whatever they are. */
const SECRET_TEXT = { schema: Type.Unknown(), isRequired: false, expects: 'a string' };
const SIGN_IN_MEMBERS = {
  link_secret: SECRET_TEXT,
  operator_key: SECRET_TEXT,
  client_id: SECRET_TEXT,
  client_secret: SECRET_TEXT,
} as const;
const TOKEN_MEMBERS = {
  application_id: {
    schema: Type.String(),
    isRequired: false,
    expects: 'the id of an application, a UUID',
  },
} as const;

/** @throws `invalid_request`, which quotes nothing of the body. */
export function checkSignIn(body: Json): SignIn {
  const faults = new FaultList();
  const given = textsOf(checkBody(SIGN_IN_MEMBERS, body, faults), faults);
  faults.throwAny();
  const { link_secret: secret, operator_key: key } = given;
  const { client_id: clientId, client_secret: clientSecret } = given;
  const count = Object.keys(given).length;
  if (count === 1 && secret !== undefined) return { by: 'link', secret };
  if (count === 1 && key !== undefined) return { by: 'operatorKey', key };
  if (count === 2 && clientId !== undefined && clientSecret !== undefined)
    return { by: 'client', clientId, clientSecret };
  throw invalidRequest([
    {
      field: 'body',
      errorCode: count === 0 ? 'missing' : 'conflict',
      message: 'must have link_secret, or operator_key, or client_id and client_secret',
    },
  ]);
}

/**
 * The application that a token is asked for, if any.
 *
 * @throws `invalid_request`.
 */
export function checkTokenRequest(body: Json): string | undefined {
  const faults = new FaultList();
  const { application_id: id } = checkBody(TOKEN_MEMBERS, body, faults);
  if (typeof id === 'string' && !isUuid(id))
    faults.add({
      field: 'application_id',
      errorCode: 'not_allowed',
      message: 'must be the id of an application, a UUID',
    });
  faults.throwAny();
  return typeof id === 'string' ? id.toLowerCase() : undefined;
}

/** The members that are texts; of the others it is said what is wrong. */
function textsOf(values: Json, faults: FaultList): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [field, value] of Object.entries(values)) {
    const most = LONGEST[field] ?? 0;
    const allowed = `at most ${most.toLocaleString('en')} characters`;
    if (typeof value !== 'string')
      faults.add({ field, errorCode: 'wrong_type', message: 'must be a string' });
    else if (value.length > most)
      faults.add({ field, errorCode: 'out_of_range', message: `must have ${allowed}`, allowed });
    else texts[field] = value;
  }
  return texts;
}
