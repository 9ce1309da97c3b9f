import type { FieldSpec } from './field-spec.ts';
import type { Values } from './use-values.ts';
import { ValueField } from './value-field.tsx';

/** The inputs of several fields, in their order. */
export function ValueFields({
  specs,
  values,
}: {
  readonly specs: readonly FieldSpec[];
  readonly values: Values;
}) {
  return specs.map((spec) => (
    <ValueField
      key={spec.path}
      spec={spec}
      text={values.entered[spec.path] ?? ''}
      fault={values.faultOf(spec.path)}
      onChange={(text) => values.set(spec.path, text)}
      onLeave={() => values.leave(spec.path)}
    />
  ));
}
