/**
 * Has Node.js' test runner follow no promises: `node --import ./.ci/unfollowed-promises.ts --test …`. It does so to
 * tell in which test an error was born that nobody caught, and every `await` takes ten times as long for it: our test
 * files, a sixth longer. Without that, such an error fails its file, with its stack; `node --test FILE` by itself still
 * says which test it was.
 */
import hooks, { type HookCallbacks } from 'node:async_hooks';

const { createHook } = hooks;
hooks.createHook = (callbacks: HookCallbacks) => createHook({ ...callbacks, trackPromises: false });
