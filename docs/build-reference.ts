/** Writes docs/reference/<kind>.md for every kind, docs/limits.md and docs/benchmarks.md; `npm run docs`. */
import { writeFile } from 'node:fs/promises';
import { describeKind } from '@patchbay/connectors';
import { allKinds, renderReferencePage } from '@patchbay/connectors/engine';
import { writeBenchmarksPage } from '../bench/src/search/benchmarks-files.ts';
import { renderLimitsPage } from './limits-page.ts';

for (const kind of allKinds())
  await writeFile(
    new URL(`reference/${kind.kind}.md`, import.meta.url),
    renderReferencePage(describeKind(kind)),
  );

await writeFile(new URL('limits.md', import.meta.url), renderLimitsPage());
await writeBenchmarksPage();
