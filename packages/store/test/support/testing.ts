export { lockTable, openTestStore, queryOnce } from './open-test-store.ts';
export type { TestStore } from './open-test-store.ts';
export { silentProxyTo } from './silent-proxy.ts';
export type { SilentProxy } from './silent-proxy.ts';
export { EMBEDDED, SERVER, TEST_DATABASES } from './test-databases.ts';
export type { TestDatabase, TestPlace } from './test-databases.ts';
