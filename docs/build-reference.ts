/** Writes docs/reference/<kind>.md for every kind; `npm run docs`. */
import { writeFile } from 'node:fs/promises';
import { describeKind } from '@patchbay/connectors';
import { allKinds, renderReferencePage } from '@patchbay/connectors/engine';

for (const kind of allKinds())
  await writeFile(
    new URL(`reference/${kind.kind}.md`, import.meta.url),
    renderReferencePage(describeKind(kind)),
  );
