import type { FieldSpec } from './parts/field.tsx';
import type { Refusal } from './service.ts';
import { texts } from './texts/texts.ts';

/** What is wrong with the fields, by path. */
export type Faults = Readonly<Record<string, string>>;

/** What is missing, before anybody is asked. */
export function missingOf(
  fields: readonly FieldSpec[],
  values: Readonly<Record<string, string>>,
): Faults {
  return Object.fromEntries(
    fields
      .filter(({ path, required }) => required && (values[path] ?? '').trim() === '')
      .map(({ path, label }) => [path, texts.fillIn(label)]),
  );
}

/**
 * The faults that a refusal finds with the fields that are shown. Their sentences begin with the path
 * of the field, in whose place the person sees its label.
 */
export function faultsOf({ problem }: Refusal, fields: readonly FieldSpec[]): Faults {
  return Object.fromEntries(
    fields.flatMap(({ path, label }) => {
      const fault = problem.errors.find(({ field }) => field === path);
      if (fault === undefined) return [];
      const { message } = fault;
      const said = message.startsWith(path) ? label + message.slice(path.length) : message;
      return [[path, said] as const];
    }),
  );
}
