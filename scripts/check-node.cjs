'use strict';
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access -- JavaScript has no types. */
// Loaded by `npm start` before TypeScript is, which an older Node.js does not know: it would only say
// that it cannot read `.ts`. So this is written in what every Node.js understands. What is installed
// from packages has a check of its own, `packages/cli/src/runtime.ts`, with another remedy.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `patchbay: This is Node.js ${process.versions.node}, and 22.19 or later is needed: ` +
      'run `npm ci`, which brings Node.js 24 on Linux and Windows, or install it from https://nodejs.org.\n',
  );
  process.exit(10);
}
