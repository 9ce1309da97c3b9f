export {
  arbitraryBrokenSearch,
  arbitraryFilter,
  arbitraryJson,
  arbitraryRecords,
  arbitrarySearchParams,
  arbitraryText,
} from './arbitrary-search.ts';
export type { BrokenSearch } from './arbitrary-search.ts';
export { selfSigned } from './certificates.ts';
export type { Certificate } from './certificates.ts';
export { CHROMIUM, CHROMIUM_OF_PAGES, NO_BROWSER } from './chromium.ts';
export { searchedThings } from './searched-things.ts';
export { sizeOf } from './test-sizes.ts';
export { RENEGOTIATES, showAnotherCertificate, startTlsUpstream } from './tls-upstream.ts';
export type { TlsUpstream } from './tls-upstream.ts';
