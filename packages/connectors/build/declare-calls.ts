import type {
  ActionDescription,
  EntityDescription,
  KindDescription,
} from '../src/wire/kind-description.ts';

/** A typed call surface whose declaration is written from the definitions. */
export interface DeclaredSurface {
  /** The interface that has the kinds by their names; empty in the sources. */
  readonly name: string;
  readonly imports: readonly string[];
  /** Whether a service is behind it, which can search. */
  readonly isHosted: boolean;
  /** The type of an action as a function, of the name of its entity's type and of its own name. */
  readonly typeOfCall: (entity: string, action: string) => string;
}

/**
 * The declaration of a call surface: only names and comments are spelled out, types stay inferred from the
 * definitions. A comment has the sentence of the action, its params and the vendor's page.
 */
export function declareCalls(kinds: readonly KindDescription[], surface: DeclaredSurface): string {
  return [
    ...surface.imports,
    declaredInterface(
      surface.name,
      kinds.map(({ kind, doc, reference }) => ({
        name: kind,
        type: pascalCase(kind),
        comment: comment(doc, [], reference),
      })),
    ),
    ...kinds.flatMap((kind) => declareKind(kind, surface)),
  ].join('\n');
}

function declareKind(kind: KindDescription, surface: DeclaredSurface): readonly string[] {
  const name = pascalCase(kind.kind);
  return [
    declaredInterface(
      name,
      kind.entities.map(({ name: entity, doc, reference }) => ({
        name: entity,
        type: name + pascalCase(entity),
        comment: comment(doc, [], reference),
      })),
    ),
    ...kind.entities.map((entity) => declareEntity(kind.kind, entity, surface)),
  ];
}

function declareEntity(
  kind: string,
  { name, actions }: EntityDescription,
  { isHosted, typeOfCall }: DeclaredSurface,
): string {
  const calls = pascalCase(kind) + pascalCase(name);
  const entity = `${calls}Entity`;
  const properties = actions
    .filter(({ hosted_only: isHostedOnly = false }) => isHosted || !isHostedOnly)
    .map((action) => ({
      name: action.name,
      type: typeOfCall(entity, action.name),
      comment: comment(action.doc, paramLines(action), action.reference),
    }));
  // An interface is shown by its name, where an alias would be written out.
  return [
    `type ${entity}Type = Kinds['${kind}']['entities']['${name}'];`,
    `export interface ${entity} extends ${entity}Type {}`,
    declaredInterface(calls, properties),
  ].join('\n');
}

interface DeclaredProperty {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
}

function declaredInterface(name: string, properties: readonly DeclaredProperty[]): string {
  const lines = properties.map(
    (each) => `${each.comment}\n  readonly ${propertyName(each.name)}: ${each.type};`,
  );
  return `export interface ${name} {\n${lines.join('\n')}\n}`;
}

function propertyName(name: string): string {
  return /^\w+$/.test(name) ? name : `'${name}'`;
}

function paramLines({ params }: ActionDescription): readonly string[] {
  return params.map(
    ({ name, required, doc }) => `- \`${name}\`${required ? ' (required)' : ''}: ${doc}`,
  );
}

function comment(doc: string, params: readonly string[], reference: string): string {
  const list = params.length === 0 ? [] : ['', ...params];
  const lines = [doc, ...list, '', `@see ${reference}`].map((line) => `   * ${line}`.trimEnd());
  // Only the comment's own end may end it.
  return `  /**\n${lines.join('\n').replaceAll('*/', '*\\/')}\n   */`;
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
