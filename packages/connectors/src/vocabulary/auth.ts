import type { Grant } from './oauth.ts';

/** A field of an auth method's credentials. Always a non-empty string. */
export interface CredentialField {
  readonly doc: string;
  readonly isRequired: boolean;
  /** Another name the field is accepted by. */
  readonly alias?: string;
  /** A UTC date and time as `YYYY-MM-DDTHH:mm:ssZ`, milliseconds allowed. */
  readonly isInstant?: true;
  /** No secret: forms show it as it is typed. */
  readonly isShown?: true;
}

/**
 * How credentials are put on a request; `{name}` stands for a credential field. The token of a method
 * with the grant `client_credentials` is issued, so it is no field of its own.
 */
export type CredentialUse =
  | { readonly scheme: 'bearer'; readonly token: string }
  | { readonly scheme: 'basic'; readonly username: string; readonly password: string };

/** One way to sign in to an upstream. */
export interface AuthMethod {
  readonly label: string;
  readonly doc: string;
  readonly fields: { readonly [name: string]: CredentialField };
  readonly use: CredentialUse;
  /**
   * How the kind's authorization server gives and renews these credentials. None where they are made
   * by hand and live as long as their maker lets them.
   */
  readonly grants?: readonly Grant[];
}

export type AuthMethods = { readonly [name: string]: AuthMethod };

type CredentialsOfMethod<M extends AuthMethod> = {
  readonly [
    K in keyof M['fields'] as M['fields'][K]['isRequired'] extends true ? K : never
  ]: string;
} & {
  readonly [
    K in keyof M['fields'] as M['fields'][K]['isRequired'] extends true ? never : K
  ]?: string;
};

type FieldNames<A extends AuthMethods> = { [K in keyof A]: keyof A[K]['fields'] }[keyof A];

/** The static type of credentials: the fields of exactly one method, and none of another. */
export type CredentialsOf<A extends AuthMethods> = {
  [K in keyof A]: CredentialsOfMethod<A[K]> & {
    readonly [F in Exclude<FieldNames<A>, keyof A[K]['fields']>]?: never;
  };
}[keyof A];

/** Declares an auth method that sends `Authorization: Bearer <token>`. */
export function bearer<const F extends AuthMethod['fields']>(method: {
  readonly label: string;
  readonly doc: string;
  readonly fields: F;
  readonly token: string;
  readonly grants?: readonly Grant[];
}) {
  const { token, ...rest } = method;
  return { ...rest, use: { scheme: 'bearer', token } } as const;
}

/** Declares an auth method that sends HTTP Basic. */
export function basic<const F extends AuthMethod['fields']>(method: {
  readonly label: string;
  readonly doc: string;
  readonly fields: F;
  readonly username: string;
  readonly password: string;
}) {
  const { username, password, ...rest } = method;
  return { ...rest, use: { scheme: 'basic', username, password } } as const;
}

/** Declares a credential field. */
export const credential = {
  required: (doc: string, options: Pick<CredentialField, 'alias' | 'isShown'> = {}) =>
    ({ doc, isRequired: true, ...options }) as const,
  optional: (doc: string, options: Pick<CredentialField, 'alias' | 'isShown'> = {}) =>
    ({ doc, isRequired: false, ...options }) as const,
} as const;

/** What credentials from an authorization server may have beside their access token. */
export const issued = {
  refresh_token: credential.optional('Refresh token, which gets the next access token.'),
  expires_at: {
    ...credential.optional(
      'When the access token expires: a UTC date and time, YYYY-MM-DDTHH:mm:ssZ. Without it, a token is renewed only once it is refused.',
    ),
    isInstant: true,
    isShown: true,
  },
} as const;

/** The app that an authorization server issued credentials to. */
export const oauthClient = {
  client_id: credential.optional('Client id of the OAuth client that the token was issued to.', {
    isShown: true,
  }),
  client_secret: credential.optional('Client secret of that client.'),
} as const;

/** A method of clients that get their tokens by themselves, with their own secret. */
export const clientCredentials = bearer({
  label: 'Client credentials',
  doc: 'A confidential OAuth client of the account, which gets its tokens by itself.',
  fields: {
    client_id: credential.required('Client id of the OAuth client.', { isShown: true }),
    client_secret: credential.required('Client secret of the OAuth client.'),
  },
  token: 'access_token',
  grants: ['client_credentials'],
});
