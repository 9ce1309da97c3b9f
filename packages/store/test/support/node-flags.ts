/**
 * With what tests start Node.js on our sources: what they were told of WebAssembly themselves, such as by
 * `.ci/test`, holds for the databases of their processes, too.
 */
export const NODE_FLAGS: readonly string[] = [
  '--conditions=patchbay-source',
  ...process.execArgv.filter((flag) => flag.includes('wasm')),
];
