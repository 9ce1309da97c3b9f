/** Builds the connect page; `runBuild` says with which flags. */
import { fileURLToPath } from 'node:url';
import { runBuild } from './static-page.ts';

await runBuild({
  name: 'the connect page',
  folder: fileURLToPath(new URL('..', import.meta.url)),
  base: '/connect/',
  jsxImportSource: 'preact',
});
