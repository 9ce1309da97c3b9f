import type { Filter } from '@patchbay/connectors/engine';
import { mayFitScalar, wordTerm } from '../../terms.ts';
import type { Compiler } from './compiler.ts';
import { conditionsOf, scopeOf, type StandingCondition } from './conditions.ts';
import { termsOfAll, termsOfOne } from './equality.ts';
import { findPlace } from './field-place.ts';
import { mayMatchScalar } from './like-pattern.ts';
import { termsLike } from './like.ts';
import { hasTerms, type Predicate } from './predicate.ts';

/**
 * Terms that a row has where some element of an array satisfies a filter. In each element they would
 * be looked for again, though they are of the row: so it is done once, for the whole array.
 *
 * @param compiler Whose paths start from the elements.
 */
export function termsInside(compiler: Compiler, filter: Filter): readonly Predicate[] {
  return conditionsOf(filter)
    .filter(({ isCertain }) => isCertain)
    .flatMap((standing) => termsOfCondition(scopeOf(compiler, standing), standing));
}

function termsOfCondition(
  compiler: Compiler,
  { condition }: StandingCondition,
): readonly Predicate[] {
  const place = findPlace(compiler, condition.path);
  switch (condition.operator) {
    case 'eq':
      return condition.value === null ? [] : [termsOfOne(compiler, place, [condition.value])];
    case 'in': {
      const { values } = condition;
      const isTold = values.length > 0 && !values.includes(null);
      return isTold ? [termsOfOne(compiler, place, values)] : [];
    }
    case 'contains':
      return [termsOfAll(compiler, place, [condition.value])];
    case 'keyword': {
      if (condition.words.some(mayFitScalar)) return [];
      const terms = condition.words.map((word) => wordTerm(place.words, word));
      return [hasTerms('&&', terms)];
    }
    case 'like':
      return mayMatchScalar(condition.pattern)
        ? []
        : termsLike(compiler.hashes, place, condition.pattern);
    default:
      return [];
  }
}
