/** A field of an auth method's credentials. Always a non-empty string. */
export interface CredentialField {
  readonly doc: string;
  readonly isRequired: boolean;
  /** Another name the field is accepted by. */
  readonly alias?: string;
}

/** How credentials are put on a request; `{name}` stands for a credential field. */
export type CredentialUse =
  | { readonly scheme: 'bearer'; readonly token: string }
  | { readonly scheme: 'basic'; readonly username: string; readonly password: string };

/** One way to sign in to an upstream. */
export interface AuthMethod {
  readonly label: string;
  readonly doc: string;
  readonly fields: { readonly [name: string]: CredentialField };
  readonly use: CredentialUse;
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
  required: (doc: string, options: { readonly alias?: string } = {}) =>
    ({ doc, isRequired: true, ...options }) as const,
  optional: (doc: string, options: { readonly alias?: string } = {}) =>
    ({ doc, isRequired: false, ...options }) as const,
} as const;
