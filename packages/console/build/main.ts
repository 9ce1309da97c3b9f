/** Builds the console; `runBuild` says with which flags. */
import { fileURLToPath } from 'node:url';
import { runBuild } from '../../connect/build/static-page.ts';

await runBuild({
  name: 'the console',
  folder: fileURLToPath(new URL('..', import.meta.url)),
  base: '/console/',
  jsxImportSource: 'react',
  bundles: ['../client/src', '../connectors/src'],
});
