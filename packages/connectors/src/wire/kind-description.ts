import { Type } from 'typebox';
import { text, uuid, type Wire } from './shape.ts';

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

/** A record or searchable field, or a Meta field of a list. */
export const FieldDescription = Type.Object({
  ...field,
  items: Type.Optional(
    Type.Array(Type.Object(field), {
      description: 'Fields of each element, where the reference lists them.',
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
    }),
  ),
});
export type AuthMethodDescription = Wire<typeof AuthMethodDescription>;

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
  entities: Type.Array(EntityDescription),
});
export type KindDescription = Wire<typeof KindDescription>;

/** The connector kinds of a service. */
export const KindList = Type.Object({ data: Type.Array(KindDescription) });
