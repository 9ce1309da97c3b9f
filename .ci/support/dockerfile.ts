/** A line of a Dockerfile, continued ones joined. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
  /** `--from=build` as `{ from: 'build' }`. */
  readonly flags: Readonly<Record<string, string>>;
}

/** What stands between one FROM and the next. */
export interface Stage {
  readonly base: string;
  readonly alias: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Reads as much of the language as ours uses: an instruction that is not known is no fault here. */
export function parseDockerfile(text: string): readonly Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Stage[] = [];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [base = '', , alias] = rest.split(/\s+/);
      stages.push({ base, alias, instructions: [] });
      continue;
    }
    const flags = Object.fromEntries(
      [...rest.matchAll(/(?<=^|\s)--([\w-]+)=(\S+)/g)].map(([, flag = '', value]) => [flag, value]),
    ) as Readonly<Record<string, string>>;
    // A command of RUN has flags of its own.
    const isCommand = name === 'RUN';
    const own = isCommand ? rest : rest.replaceAll(/(?<=^|\s)--[\w-]+=\S+\s+/g, '');
    const stage = stages.pop();
    if (stage === undefined) throw new Error(`${line} is before the first FROM`);
    const instruction = { name, text: own, flags: isCommand ? {} : flags };
    stages.push({ ...stage, instructions: [...stage.instructions, instruction] });
  }
  return stages;
}

/** Whether a file goes to the build, by a .dockerignore: the last line that fits it decides. */
export function isSent(path: string, ignore: string): boolean {
  let sent = true;
  for (const line of ignore.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const pattern = asPattern(line.replace(/^!/, ''));
    // Whatever fits a folder fits all that is in it.
    const parts = path.split('/');
    const ways = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    if (ways.some((way) => pattern.test(way))) sent = line.startsWith('!');
  }
  return sent;
}

/** Unlike those of a shell, these stars also take names that begin with a dot. */
function asPattern(glob: string): RegExp {
  const pattern = glob
    .replaceAll('.', String.raw`\.`)
    .replaceAll('**/', '(?:.+/)?')
    .replaceAll(/(?<![.(])\*/g, '[^/]*');
  return new RegExp(`^${pattern}$`);
}
