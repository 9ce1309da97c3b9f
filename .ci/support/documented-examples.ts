import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  blocksIn,
  examplesIn,
  type Block,
  type Example,
} from '../../packages/cli/test/support/document-blocks.ts';
import { ROOT, type PublishedPackage } from './consumer.ts';

/** An example, and the document that it is from. */
export interface DocumentedExample extends Example {
  readonly document: string;
  readonly title: string;
  /** The title as the name of a file. */
  readonly fileName: string;
}

/** The examples of a document that is to be followed from its beginning to its end. */
export async function everyExampleOf(path: string): Promise<readonly DocumentedExample[]> {
  return examplesIn(await readBlocks(path)).map((example, index) =>
    documented(example, path, `${path}, example ${index + 1}`),
  );
}

/** The example that the README of a package begins with. */
export async function readmeExampleOf({ source }: PublishedPackage): Promise<DocumentedExample> {
  const path = relative(ROOT, join(source, 'README.md'));
  const [first, second] = await readBlocks(path);
  if (first === undefined) throw new Error(`${path} has no example`);
  const [example = { ...first, output: undefined }] = examplesIn(
    second?.language === 'text' ? [first, second] : [first],
  );
  return documented(example, path, path);
}

async function readBlocks(path: string): Promise<readonly Block[]> {
  return blocksIn(await readFile(join(ROOT, path), 'utf8'));
}

function documented(example: Example, document: string, title: string): DocumentedExample {
  return { ...example, document, title, fileName: title.replaceAll(/[^a-z0-9]+/gi, '-') };
}
