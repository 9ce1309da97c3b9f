#!/usr/bin/env node
import { refusalOf, UNSUPPORTED_RUNTIME } from './runtime.ts';

const refusal = refusalOf(process.versions);
if (refusal === undefined) {
  // Loaded only now: an older Node.js fails to, in words that help nobody.
  const { runCommandLine } = await import('./command-line.ts');
  await runCommandLine();
} else {
  process.stderr.write(`patchbay: ${refusal}\n`);
  process.exitCode = UNSUPPORTED_RUNTIME;
}
