/** Writes docs/reference/<kind>.md for every kind; `npm run docs`. */
import { writeFile } from 'node:fs/promises';
import { allKinds, describeKind, renderReferencePage } from '@patchbay/connectors';

for (const kind of allKinds())
  await writeFile(
    new URL(`reference/${kind.kind}.md`, import.meta.url),
    renderReferencePage(describeKind(kind)),
  );
