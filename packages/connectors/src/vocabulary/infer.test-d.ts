/** Types inferred from definitions. Compiled, never run. */
import {
  basic,
  bearer,
  connectorKind,
  create,
  credential,
  entity,
  field,
  get,
  list,
  meta,
  param,
  setting,
  type KindCalls,
  type KindConfig,
  type KindCredentials,
  type ParamsOf,
  type RecordOf,
} from './index.ts';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<_A, _B>(..._proof: Equal<_A, _B> extends true ? [] : [never]): void {
  // There is nothing to do: the types are the test.
}
/** An intersection written out, so that it compares equal to what it means. */
type Flat<T> = { [K in keyof T]: T[K] };

const things = entity({
  name: 'things',
  doc: 'Things.',
  reference: 'https://example.com/things',
  key: 'id',
  record: {
    id: field.integer('Id.', { always: true }),
    size: field.number('Size.'),
    parts: field.integers('Ids of parts.'),
    lines: field.items('Lines.', { text: field.string('Text.', { always: true }) }),
  },
  actions: {
    list: list({
      doc: 'Lists things.',
      reference: 'https://example.com/things',
      request: 'GET /things',
      params: {
        order: param.choice('Order.', ['newest', 'oldest']),
        size: param.integer('Size.', { required: true, minimum: 1 }),
      },
      records: 'things',
      meta: { count: meta(field.integer('Count.', { always: true }), 'count') },
    }),
    get: get({
      doc: 'Reads the thing.',
      reference: 'https://example.com/things',
      request: 'GET /thing',
      params: {},
      record: '$',
    }),
  },
});

const toy = connectorKind({
  kind: 'toy',
  displayName: 'Toy',
  aliases: [],
  definitionId: '00000000-0000-4000-8000-000000000000',
  doc: 'A toy.',
  reference: 'https://example.com',
  baseUrl: 'https://{subdomain}.example.com',
  auth: {
    token: basic({
      label: 'Token',
      doc: 'A token.',
      fields: {
        email: credential.required('Address.'),
        api_token: credential.required('Token.'),
      },
      username: '{email}/token',
      password: '{api_token}',
    }),
    oauth: bearer({
      label: 'OAuth',
      doc: 'OAuth.',
      fields: {
        access_token: credential.required('Token.'),
        refresh_token: credential.optional('Refresh token.'),
      },
      token: 'access_token',
    }),
  },
  config: {
    subdomain: setting.text('Subdomain.', {
      pattern: '^[a-z]+$',
      expects: 'a subdomain',
      required: true,
    }),
    region: setting.choice('Region.', { eu: 'eu1', us: 'us1' }, { default: 'us' }),
  },
  replicationConfig: {},
  requiresReplicationConfig: false,
  errors: { code: 'code', codes: {}, writeMayHaveHappened: [] },
  checks: [{ entity: 'things', action: 'get', params: {} }],
  entities: { things },
  extensions: [],
});

type Toy = typeof toy;
type Params = (typeof things)['actions']['list']['params'];

export function inferred(calls: KindCalls<Toy>): void {
  same<
    RecordOf<typeof things>,
    {
      readonly id: number;
      readonly size: number | null;
      readonly parts: number[];
      readonly lines: { readonly text: string }[] | null;
    }
  >();
  same<
    Flat<ParamsOf<Params>>,
    {
      readonly size: number;
      readonly order?: 'newest' | 'oldest' | null | undefined;
      readonly limit?: number | null | undefined;
    }
  >();
  same<Awaited<ReturnType<typeof calls.things.list>>['meta'], { readonly count: number }>();
  same<Flat<KindConfig<Toy>>, { readonly subdomain: string; readonly region?: 'eu' | 'us' }>();
  void calls.things.get();
  void calls.things.get({});
  void calls.things.list({ size: 1, order: 'newest' });
  // @ts-expect-error -- not a word of the choice
  void calls.things.list({ size: 1, order: 'best' });
  // @ts-expect-error -- it takes no params
  void calls.things.get({ id: 5 });
}

export function credentialUnion(take: (credentials: KindCredentials<Toy>) => void): void {
  take({ email: 'a', api_token: 'b' });
  take({ access_token: 'a' });
  take({ access_token: 'a', refresh_token: 'b' });
  // @ts-expect-error -- half a method
  take({ email: 'a' });
  // @ts-expect-error -- an optional field alone
  take({ refresh_token: 'b' });
  // @ts-expect-error -- two methods
  take({ email: 'a', api_token: 'b', access_token: 'c' });
}

export function vocabularyIsClosed(): void {
  const about = { doc: 'x', reference: 'https://example.com', params: {} } as const;
  // @ts-expect-error -- no such HTTP method
  get({ ...about, request: 'FETCH /x', record: '$' });
  // @ts-expect-error -- a list says where its records are
  list({ ...about, request: 'GET /x' });
  // @ts-expect-error -- a write says how to find out what became of it
  create({ ...about, request: 'POST /x', record: '$' });
  // @ts-expect-error -- every field has a doc
  field.string();
  // @ts-expect-error -- obj* may always be null
  field.freeForm('x', { always: true });
}
