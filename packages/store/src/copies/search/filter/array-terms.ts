import type { Condition, Filter } from '@patchbay/connectors/engine';
import { mayFitScalar, wordTerm } from '../../terms.ts';
import type { Compiler } from './compiler.ts';
import { conditionsOf, scopeOf } from './conditions.ts';
import { termsOfAll, termsOfOne, type SearchedPlace } from './equality.ts';
import { findPlace } from './field-place.ts';
import { mayMatchScalar } from './like-pattern.ts';
import { termsLike } from './like.ts';
import { OperandTerms } from './operand-terms.ts';
import { hasTerms, type Predicate } from './predicate.ts';

/**
 * Terms that a row has where some element of an array satisfies a filter. In each element they would
 * be looked for again, though they are of the row: so it is done once, for the whole array.
 *
 * @param compiler Whose paths start from the elements.
 */
export function termsInside(compiler: Compiler, filter: Filter): readonly Predicate[] {
  // All of it is one step, however many conditions there are.
  const terms = new OperandTerms(compiler.hashes);
  return conditionsOf(filter)
    .filter(({ isCertain }) => isCertain)
    .flatMap((standing) => {
      const scope = scopeOf(compiler, standing);
      const place = findPlace(scope, standing.condition.path);
      return termsOfCondition(scope, { condition: standing.condition, place, terms });
    });
}

interface PlacedCondition extends SearchedPlace {
  readonly condition: Condition;
}

function termsOfCondition(
  compiler: Compiler,
  { condition, place, terms }: PlacedCondition,
): readonly Predicate[] {
  switch (condition.operator) {
    case 'eq':
      return condition.value === null
        ? []
        : [termsOfOne(compiler, { place, terms }, [condition.value])];
    case 'in': {
      const { values } = condition;
      const isTold = values.length > 0 && !values.includes(null);
      return isTold ? [termsOfOne(compiler, { place, terms }, values)] : [];
    }
    case 'contains':
      return [termsOfAll({ place, terms }, [condition.value])];
    case 'keyword': {
      if (condition.words.some(mayFitScalar)) return [];
      const wordTerms = condition.words.map((word) => wordTerm(place.words, word));
      return [hasTerms('&&', wordTerms)];
    }
    case 'like':
      return mayMatchScalar(condition.pattern)
        ? []
        : termsLike(compiler.hashes, place, condition.pattern);
    default:
      return [];
  }
}
