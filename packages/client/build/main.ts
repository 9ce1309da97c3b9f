/** Writes the declaration of the call surfaces of the hosted client into `dist/`, once that is built. */
import { writeFile } from 'node:fs/promises';
import { allKinds, describeKind } from '@patchbay/connectors/definitions';
import { declareCalls } from '../../connectors/build/declare-calls.ts';

await writeFile(
  new URL('../dist/documented-calls.d.ts', import.meta.url),
  declareCalls(allKinds().map(describeKind), {
    name: 'DocumentedHostedCalls',
    imports: [
      "import type { Kinds } from '@patchbay/connectors/definitions';",
      "import type { HostedActionCall, SearchCall } from './hosted-calls.ts';",
    ],
    isHosted: true,
    typeOfCall: (entity, action) =>
      action === 'search'
        ? `SearchCall<${entity}>`
        : `HostedActionCall<${entity}, ${entity}['actions']['${action}']>`,
  }),
);
