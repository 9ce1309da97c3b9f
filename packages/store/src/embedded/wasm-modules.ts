import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';

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

/**
 * V8 takes some 600 MB, for 3 s, to optimise the one function of PGlite that evaluates expressions (Node.js
 * 24.21), and gives them back. Where there is not twice as much, that might be the end of the process.
 */
const OPTIMISING_NEEDS_BYTES = 1_200 * 1024 * 1024;

/** V8 lets code be as it was compiled first: heavy statements take up to twice as long. */
const UNOPTIMISED = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

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
  // Of the machine, or of the container around the process.
  if (process.availableMemory() < OPTIMISING_NEEDS_BYTES) UNOPTIMISED.forEach(setFlagsFromString);
  const [pglite, initdb] = await Promise.all([compile('pglite.wasm'), compile('initdb.wasm')]);
  return { pglite, initdb };
}

async function compile(name: string): Promise<WebAssembly.Module> {
  const file = new URL(name, import.meta.resolve('@electric-sql/pglite'));
  return await WebAssembly.compile(await readFile(file));
}
