import type {
  ActionDescription,
  AuthMethodDescription,
  EntityDescription,
  FieldDescription,
  KindDescription,
  SettingDescription,
} from './wire/kind-description.ts';

/**
 * The reference page of a kind, as Markdown: credentials, config, and each entity with its
 * operations, record fields and searchable fields, in the order of the service reference.
 */
export function renderReferencePage(kind: KindDescription): string {
  return [
    `# ${kind.kind} (${kind.display_name})`,
    `<!-- Made by \`npm run docs\` from the definition; do not edit. -->`,
    kind.doc,
    `Also accepted as \`connector_type\`: ${kind.aliases.map(code).join(', ')}; \`definition_id\`: ${code(kind.definition_id)}. What the service reference does not list is marked _extension_. The vendor's own documentation: <${kind.reference}>.`,
    'An integer may also be given as a string of its digits. Every list takes `limit`: beyond the largest page it is brought down to that, with a warning; a list that comes whole has a warning where it is longer.',
    '## Credentials',
    'The fields of exactly one method.',
    table(
      ['Method', 'Field', 'Required', 'Meaning'],
      kind.auth_methods.flatMap((method) =>
        method.fields.map(({ name, required, doc, alias, extension }) => [
          `${method.label}${mark(method)}`,
          `${alias === undefined ? code(name) : `${code(name)} (or ${code(alias)})`}${mark({ extension })}`,
          yes(required),
          doc,
        ]),
      ),
    ),
    ...kind.auth_methods.flatMap(endsOf),
    ...settings('Config', kind.config),
    ...settings(
      `Replication config${kind.replication_config.required ? ' (required)' : ''}`,
      kind.replication_config.fields,
    ),
    ...distributions(kind.distributions),
    '## Entities',
    table(
      ['Entity', 'Actions', 'What it is'],
      kind.entities.map(({ name, actions, doc }) => [
        `[${name}](#${name})`,
        actions.map((action) => action.name).join(', '),
        doc,
      ]),
    ),
    ...kind.entities.flatMap(renderEntity),
    '',
  ].join('\n\n');
}

/** How long the credentials of a method are good, and what becomes of them when a connector is deleted. */
function endsOf(method: AuthMethodDescription): readonly string[] {
  const { label, revoked, revocation, ending } = method;
  const told = REVOKED[revoked];
  return [
    ...(ending === undefined
      ? []
      : [`**${label} ${ENDING[ending.of] ?? ''}ends.** ${ending.doc} ${page(ending)}`]),
    ...(revocation === undefined || told === undefined
      ? []
      : [
          `**${label}**: deleting a connector [revokes](../what-is-stored.md#what-is-revoked) ${told}. ${revocation.doc} ${page(revocation)}`,
        ]),
  ];
}

const REVOKED: Readonly<Record<string, string>> = {
  all: 'the token',
  consented: 'the token where a person consented to it here, and no token that was typed in',
};

const ENDING: Readonly<Record<string, string>> = { unrenewed: 'without a way to renew it ' };

function page({ reference }: { readonly reference: string }): string {
  return `[Vendor's page](${reference}).`;
}

function renderEntity(entity: EntityDescription): readonly string[] {
  return [
    // Without a mark: links lead to the heading by its words.
    `## ${entity.name}`,
    `${entity.doc}${mark(entity)} [Vendor's page](${entity.reference}).`,
    ...entity.actions.flatMap((action) => renderAction(entity.name, action)),
    `### ${entity.name}: record`,
    fieldTable(entity.record),
    ...(entity.searchable.length === 0
      ? []
      : [`### ${entity.name}: searchable fields`, fieldTable(entity.searchable)]),
  ];
}

function renderAction(entityName: string, action: ActionDescription): readonly string[] {
  const { params, meta = [] } = action;
  const heading = `### ${entityName}.${action.name}${mark(action)}`;
  if (action.hosted_only === true)
    return [heading, `${action.doc} [Params and query language](../search.md).`];
  return [
    heading,
    `${action.doc} [Vendor's page](${action.reference}).`,
    params.length === 0
      ? 'No params.'
      : table(
          ['Param', 'Required', 'Value', 'Meaning'],
          params.map((param) => [
            `${code(param.name)}${mark(param)}`,
            yes(param.required),
            param.expects,
            param.doc,
          ]),
        ),
    ...(meta.length === 0 ? [] : ['Meta:', fieldTable(meta)]),
  ];
}

function settings(title: string, list: readonly SettingDescription[]): readonly string[] {
  if (list.length === 0) return [];
  return [
    `## ${title}`,
    table(
      ['Name', 'Required', 'Value', 'Default', 'Meaning'],
      list.map((setting) => [
        `${code(setting.name)}${mark(setting)}`,
        yes(setting.required),
        setting.expects,
        setting.default === undefined ? '' : code(JSON.stringify(setting.default)),
        setting.doc,
      ]),
    ),
  ];
}

function distributions(described: KindDescription['distributions']): readonly string[] {
  if (described === undefined) return [];
  const { doc, reference, applies, each } = described;
  const limited = each.flatMap(({ name, lists }) =>
    lists.map((list) => [
      code(name),
      code(`${list.entity}.list`),
      String(list.calls_per_minute),
      String(list.largest_page),
    ]),
  );
  return [
    '## Distributions',
    `${doc} It is ${code(applies)} unless the operator of a service, or the library's ${code('distribution')}, says else. [Vendor's page](${reference}).`,
    table(
      ['Distribution', 'What the app is', 'Not copied, so without `search`'],
      each.map(({ name, doc: what, not_copied: notCopied }) => [
        code(name),
        what,
        notCopied.map(code).join(', '),
      ]),
    ),
    table(['Distribution', 'List', 'Calls a minute', 'Largest page'], limited),
  ];
}

function fieldTable(fields: readonly FieldDescription[]): string {
  return table(
    ['Field', 'Type', 'Meaning'],
    fields.flatMap((field) => [
      [`${code(field.name)}${mark(field)}`, code(field.type), meaningOf(field)],
      ...(field.items ?? []).map((item) => [
        code(`${field.name}[].${item.name}`),
        code(item.type),
        meaningOf(item),
      ]),
    ]),
  );
}

function meaningOf({ doc, members = [] }: Pick<FieldDescription, 'doc' | 'members'>): string {
  if (members.length === 0) return doc;
  const known = members.map(({ path, type }) =>
    type === 'string' ? code(path) : `${code(path)} ${type}`,
  );
  return `${doc} Documented below it, strings unless said: ${known.join(', ')}.`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map(tableLine).join('\n');
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map(escapeCell).join(' | ')} |`;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function code(text: string): string {
  return `\`${text}\``;
}

function yes(isTrue: boolean): string {
  return isTrue ? 'yes' : 'no';
}

function mark({ extension }: { readonly extension?: true | undefined }): string {
  return extension === true ? ' _extension_' : '';
}
