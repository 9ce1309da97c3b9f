import { MAX_FIELDS, MAX_SEGMENTS } from '../input-bounds.ts';
import { MAX_CONDITIONS, MAX_DEPTH, MAX_NAMES } from './check-filter.ts';
import { MAX_PATTERN, MAX_TEXT, MAX_VALUES, MAX_WORDS } from './operand-types.ts';
import { MAX_FACET_TEXT, MAX_FACET_VALUES, MAX_VALUES_OF_FACETS } from './counts.ts';
import {
  DEFAULT_SEARCH_MS,
  MAX_COUNTED,
  MAX_FACETS,
  MAX_FIELD_NAMES,
  MAX_HITS,
  MAX_SEARCH_MS,
} from './search-params.ts';
import { MAX_EFFORT } from './effort.ts';

/** Every bound of the query language, as it is enforced. */
export const SEARCH_LIMITS = {
  hits: MAX_HITS,
  fields: MAX_FIELDS,
  namesInFields: MAX_FIELD_NAMES,
  namesInPath: MAX_SEGMENTS,
  depth: MAX_DEPTH,
  conditions: MAX_CONDITIONS,
  namesInFilter: MAX_NAMES,
  valuesOfIn: MAX_VALUES,
  charactersOfLike: MAX_PATTERN,
  charactersOfTexts: MAX_TEXT,
  words: MAX_WORDS,
  facets: MAX_FACETS,
  counted: MAX_COUNTED,
  valuesOfFacet: MAX_FACET_VALUES,
  charactersOfFacetValue: MAX_FACET_TEXT,
  valuesOfFacets: MAX_VALUES_OF_FACETS,
  effort: MAX_EFFORT,
  timeoutMs: MAX_SEARCH_MS,
  usualTimeoutMs: DEFAULT_SEARCH_MS,
} as const;
