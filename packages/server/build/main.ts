/**
 * Builds the API reference that the service shows at `/docs`: the viewer, as its npm package has it, and
 * our own page around it. With `--if-missing` only where there is no build of the same files.
 */
import { parseArgs } from 'node:util';
import { buildDocsPage, isBuilt, OUTPUT } from './build-docs-page.ts';

const { values } = parseArgs({ options: { 'if-missing': { type: 'boolean', default: false } } });
if (!(values['if-missing'] && (await isBuilt(OUTPUT)))) await buildDocsPage(OUTPUT);
