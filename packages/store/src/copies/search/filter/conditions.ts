import type { Condition, FieldPath, Filter } from '@patchbay/connectors/engine';
import { findPlace, inElements, type FieldScope } from './field-place.ts';

/** A condition of a filter, and how it stands in it. */
export interface StandingCondition {
  readonly condition: Condition;
  /** The arrays of the `any`s around it, the outermost first. */
  readonly arrays: readonly FieldPath[];
  /** How many `not`s are around it. */
  readonly nots: number;
  /** Whatever satisfies the filter satisfies the condition. */
  readonly isCertain: boolean;
}

type Standing = Omit<StandingCondition, 'condition'>;

const ON_TOP: Standing = { arrays: [], nots: 0, isCertain: true };

/** Every condition of a filter in the order of the filter, an `any` before what is inside it. */
export function conditionsOf(filter: Filter, standing = ON_TOP): readonly StandingCondition[] {
  switch (filter.operator) {
    case 'and':
      return filter.filters.flatMap((each) => conditionsOf(each, standing));
    case 'or':
      return filter.filters.flatMap((each) =>
        conditionsOf(each, { ...standing, isCertain: false }),
      );
    case 'not':
      return conditionsOf(filter.filter, {
        ...standing,
        nots: standing.nots + 1,
        isCertain: false,
      });
    case 'any': {
      const inside = { ...standing, arrays: [...standing.arrays, filter.path] };
      return [{ ...standing, condition: filter }, ...conditionsOf(filter.filter, inside)];
    }
    default:
      return [{ ...standing, condition: filter }];
  }
}

/** What the paths of a condition start from, with all that its filter's start from. */
export function scopeOf<Scope extends FieldScope>(
  scope: Scope,
  { arrays }: Pick<StandingCondition, 'arrays'>,
): Scope {
  return arrays.reduce((within, path) => inElements(within, findPlace(within, path)), scope);
}
