export {
  arbitraryBrokenSearch,
  arbitraryFilter,
  arbitraryJson,
  arbitraryRecords,
  arbitrarySearchParams,
  arbitraryText,
} from './arbitrary-search.ts';
export type { BrokenSearch } from './arbitrary-search.ts';
export { CHROMIUM, CHROMIUM_OF_PAGES, NO_BROWSER } from './chromium.ts';
export { searchedThings } from './searched-things.ts';
export { sizeOf } from './test-sizes.ts';
