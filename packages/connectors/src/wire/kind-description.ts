import { Type } from 'typebox';
import { count, oneOfOpen, text, uuid, type Wire } from './shape.ts';

const extension = Type.Optional(
  Type.Literal(true, { description: 'The service reference does not list it.' }),
);
const jsonSchema = (description: string) => Type.Unsafe<object>({ type: 'object', description });
const expects = text('What a valid value is, as it completes "must be …".');

const field = {
  name: text(),
  type: text('In the notation of the reference: `string`, `integer?`, `obj*`, `array?`.'),
  doc: text(),
};

/** A member of an object field that the vendor documents. */
export const MemberDescription = Type.Object({
  path: text('From the field on: `profile.email`. `[]` stands for the elements of an array.'),
  type: text(),
});
export type MemberDescription = Wire<typeof MemberDescription>;

/** A path below a field that records of a connector's copy have. */
export const ObservedPath = Type.Object({
  path: Type.Union([Type.String(), Type.Array(Type.String())], {
    description:
      'As filters take it: dotted, from the field on, or an array of its names where one has a dot in it. `[]` stands for the elements of an array, which `any` looks into.',
  }),
  types: Type.Array(text(), {
    description: 'string, integer, number, boolean, object, array, null.',
  }),
  count: count('About how many records have it.'),
});
export type ObservedPath = Wire<typeof ObservedPath>;

const members = Type.Optional(
  Type.Array(MemberDescription, {
    description:
      'What the vendor documents of an object, or of the objects in an array, at every depth. There may be others, and any may be missing.',
  }),
);

/** A record or searchable field, or a Meta field of a list. */
export const FieldDescription = Type.Object({
  ...field,
  items: Type.Optional(
    Type.Array(Type.Object({ ...field, members }), {
      description: 'Fields of each element, where the reference lists them.',
    }),
  ),
  members,
  observed: Type.Optional(
    Type.Array(ObservedPath, {
      description:
        'Of a searchable object or array of a connector: what its copy has there, as far as it has been read; at most 1,000 an entity, in all.',
    }),
  ),
  extension,
});
export type FieldDescription = Wire<typeof FieldDescription>;

/** A param of an action. */
export const ParamDescription = Type.Object({
  name: text(),
  required: Type.Boolean(),
  doc: text(),
  expects,
  schema: jsonSchema('The `params_schema` of a search says more of `query` and `fields`.'),
  extension,
});
export type ParamDescription = Wire<typeof ParamDescription>;

/** What can be done with the records of an entity. */
export const ActionDescription = Type.Object({
  name: text(),
  aliases: Type.Optional(Type.Array(text(), { description: 'Other names that it goes by.' })),
  doc: text(),
  reference: text('A page of the vendor: on the request, or else on the records.'),
  writes: Type.Boolean(),
  hosted_only: Type.Optional(
    Type.Literal(true, {
      description: 'A service alone can do it, since it asks the copy that the service keeps.',
    }),
  ),
  params: Type.Array(ParamDescription),
  params_schema: jsonSchema('JSON Schema of the params object.'),
  meta: Type.Optional(Type.Array(FieldDescription, { description: 'Meta fields, for lists.' })),
  extension,
});
export type ActionDescription = Wire<typeof ActionDescription>;

/** An entity of a kind. */
export const EntityDescription = Type.Object({
  name: text(),
  doc: text(),
  reference: text(),
  actions: Type.Array(ActionDescription),
  record: Type.Array(FieldDescription),
  searchable: Type.Array(FieldDescription),
  extension,
});
export type EntityDescription = Wire<typeof EntityDescription>;

/** A setting of a connector: a member of `config` or `replication_config`. */
export const SettingDescription = Type.Object({
  name: text(),
  required: Type.Boolean(),
  doc: text(),
  expects,
  schema: jsonSchema('JSON Schema of the value.'),
  default: Type.Optional(Type.Unknown()),
  extension,
});
export type SettingDescription = Wire<typeof SettingDescription>;

/** One way to authenticate upstream. */
export const AuthMethodDescription = Type.Object({
  name: text(),
  label: text(),
  doc: text(),
  fields: Type.Array(
    Type.Object({
      name: text(),
      required: Type.Boolean(),
      doc: text(),
      alias: Type.Optional(text('Another name that it may be given by.')),
      extension,
    }),
  ),
  grants: Type.Array(text(), {
    description:
      'How an authorization server gives and renews such credentials: `authorization_code` (a person consents), `refresh_token`, `client_credentials`. Empty where they are made by hand.',
  }),
  revoked: oneOfOpen(
    ['all', 'consented', 'none'],
    'Which of these credentials deleting a connector revokes upstream; `consented`: only those that a person consented to here.',
  ),
  revocation: Type.Optional(
    Type.Object(
      { doc: text(), reference: text('A page of the vendor.') },
      { description: 'What revoking them does, where they are revoked.' },
    ),
  ),
  ending: Type.Optional(
    Type.Object(
      {
        on: Type.String({ format: 'date' }),
        of: oneOfOpen(['all', 'unrenewed']),
        doc: text(),
        reference: text('A page of the vendor.'),
      },
      {
        description:
          'The day on which the vendor ends such credentials: all, or those that nothing renews.',
      },
    ),
  ),
  extension,
});
export type AuthMethodDescription = Wire<typeof AuthMethodDescription>;

/** The ways in which apps reach accounts, and what the upstream grants each of them. */
export const DistributionsDescription = Type.Object({
  doc: text(),
  reference: text(),
  applies: text(
    'The one that this description is of: what the app of the service, or program, is.',
  ),
  each: Type.Array(
    Type.Object({
      name: text(),
      doc: text(),
      lists: Type.Array(
        Type.Object({
          entity: text(),
          calls_per_minute: Type.Number(),
          largest_page: count(),
        }),
        { description: 'Lists for which the upstream grants less than elsewhere.' },
      ),
      not_copied: Type.Array(text(), {
        description: 'Entities of which no copy is kept, so that they cannot be searched.',
      }),
    }),
  ),
});
export type DistributionsDescription = Wire<typeof DistributionsDescription>;

/** A connector kind, for people, forms and agents: in the order of the service reference. */
export const KindDescription = Type.Object({
  kind: text(),
  display_name: text(),
  aliases: Type.Array(text()),
  definition_id: uuid(),
  doc: text(),
  reference: text(),
  auth_methods: Type.Array(AuthMethodDescription),
  config: Type.Array(SettingDescription),
  replication_config: Type.Object({
    required: Type.Boolean(),
    fields: Type.Array(SettingDescription),
  }),
  distributions: Type.Optional(DistributionsDescription),
  entities: Type.Array(EntityDescription),
});
export type KindDescription = Wire<typeof KindDescription>;

/** The connector kinds of a service. */
export const KindList = Type.Object({ data: Type.Array(KindDescription) });
