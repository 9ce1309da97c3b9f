import { readFile } from 'node:fs/promises';

declare global {
  /** The part that is used here; TypeScript has it in its browser library only. */
  namespace WebAssembly {
    interface Module {
      readonly [Symbol.toStringTag]: string;
    }
    function compile(bytes: Uint8Array): Promise<Module>;
  }
}

/** The compiled programs that PGlite runs. */
export interface WasmModules {
  readonly pglite: WebAssembly.Module;
  readonly initdb: WebAssembly.Module;
}

let modules: Promise<WasmModules> | undefined;

/**
 * Compiles PGlite's programs once per process, for every worker to share.
 *
 * They are kept to the end on purpose. If a worker had the only copy, its end would free code that
 * V8's background threads may still be optimising, which aborts the whole process now and then
 * ("Check failed: jit_page.has_value()", Node.js 24.21; twice in 375 closings).
 */
export async function loadWasmModules(): Promise<WasmModules> {
  modules ??= compileAll();
  return await modules;
}

async function compileAll(): Promise<WasmModules> {
  const [pglite, initdb] = await Promise.all([compile('pglite.wasm'), compile('initdb.wasm')]);
  return { pglite, initdb };
}

async function compile(name: string): Promise<WebAssembly.Module> {
  const file = new URL(name, import.meta.resolve('@electric-sql/pglite'));
  return await WebAssembly.compile(await readFile(file));
}
