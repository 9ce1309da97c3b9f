import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from './consumer.ts';

type Settings = Readonly<Record<string, string>>;

/** A service of compose.yaml, as far as it is looked at. */
export interface ComposeService {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment: Settings;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly stop_grace_period?: string;
  readonly ports?: readonly string[];
}

/**
 * The services of compose.yaml, with these variables in it.
 *
 * @throws Error when it asks for a variable that is not there.
 */
export async function composeServices(
  variables: Settings,
): Promise<Readonly<Record<string, ComposeService>>> {
  const text = await readFile(join(ROOT, 'compose.yaml'), 'utf8');
  const filled = text.replaceAll(
    /\$\{(\w+)(?::(-|\?)([^}]*))?\}/g,
    (_, name: string, operator: string | undefined, word: string) => {
      const value = variables[name];
      if (value !== undefined && value !== '') return value;
      if (operator === '-') return word;
      throw new Error(`compose.yaml needs ${name}`);
    },
  );
  // Our own file; what it lacks, the tests miss.
  const file = parse(filled, { merge: true }) as {
    readonly services: Readonly<Record<string, ComposeService>>;
  };
  return file.services;
}

/** The variables of a `.env`. */
export function parseEnvironment(text: string): Settings {
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value]) => [name, value ?? '']),
  );
}
