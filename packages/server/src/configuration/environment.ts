/** Variables that are set. */
export type Environment = Readonly<Record<string, string | undefined>>;
/** Takes a fault of a variable, worded to follow its name. */
export type Report = (variable: string, problem: string) => void;

interface IntegerRange {
  readonly minimum: number;
  readonly maximum: number;
  readonly report: Report;
}

/** Those of the settings that were given; each has a variable. */
export function readIntegers<Setting extends string>(
  env: Environment,
  variables: Readonly<Record<Setting, string>>,
  how: IntegerRange,
): Partial<Record<Setting, number>> {
  const given: Partial<Record<Setting, number>> = {};
  for (const setting of Object.keys(variables) as Setting[]) {
    const value = readInteger(env, variables[setting], how);
    if (value !== undefined) given[setting] = value;
  }
  return given;
}

export function readInteger(env: Environment, name: string, how: IntegerRange): number | undefined {
  const text = env[name];
  if (text === undefined) return undefined;
  const { minimum, maximum, report } = how;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (value >= minimum && value <= maximum) return value;
  report(name, `must be an integer from ${minimum} to ${maximum}, got ${JSON.stringify(text)}`);
  return undefined;
}
