/** Writes the declaration of the call surfaces of the library into `dist/`, once that is built. */
import { writeFile } from 'node:fs/promises';
import { describeKind } from '../src/describe.ts';
import { allKinds } from '../src/find-kind.ts';
import { declareCalls } from './declare-calls.ts';

await writeFile(
  new URL('../dist/vocabulary/documented-calls.d.ts', import.meta.url),
  declareCalls(allKinds().map(describeKind), {
    name: 'DocumentedCalls',
    imports: [
      "import type { Kinds } from '../kinds/index.ts';",
      "import type { ActionCall } from './infer.ts';",
    ],
    isHosted: false,
    typeOfCall: (entity, action) => `ActionCall<${entity}, ${entity}['actions']['${action}']>`,
  }),
);
