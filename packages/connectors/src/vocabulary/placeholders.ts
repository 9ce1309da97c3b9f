/** The names in braces of a template, such as those of the params in the path of a request. */
export function placeholdersOf(template: string): readonly string[] {
  return [...template.matchAll(/\{([a-z0-9_]+)\}/g)].map((match) => match[1] ?? '');
}
