/** What the command ends with where it cannot run at all. */
export const UNSUPPORTED_RUNTIME = 10;

/** The oldest Node.js that runs the packages: what `engines` of their manifests say. */
export const OLDEST_NODE = '22.19.0';

const REMEDY = 'install Node.js 24, from https://nodejs.org or with your version manager.';

/**
 * Why the command cannot run on what runs it, and what would work: one sentence. `undefined` where it
 * can. Imports nothing, because on an older Node.js what the commands are made of fails to load.
 *
 * @param versions `process.versions`
 */
export function refusalOf(versions: {
  readonly node: string;
  readonly bun?: string | undefined;
  readonly deno?: string | undefined;
}): string | undefined {
  // Each of them says that it is a Node.js too, so this comes first.
  for (const [name, version] of Object.entries({ Bun: versions.bun, Deno: versions.deno }))
    if (version !== undefined)
      return `This is ${name} ${version}, which patchbay does not run on: ${REMEDY}`;
  const [major = 0, minor = 0] = numbersOf(versions.node);
  const [oldestMajor = 0, oldestMinor = 0] = numbersOf(OLDEST_NODE);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  const oldest = `${oldestMajor}.${oldestMinor}`;
  return `This is Node.js ${versions.node}, and ${oldest} or later is needed: ${REMEDY}`;
}

function numbersOf(version: string): readonly number[] {
  return version.split('.').map(Number);
}
