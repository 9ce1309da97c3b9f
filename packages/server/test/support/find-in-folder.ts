import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Looks for texts in every file below a folder; returns where they are. */
export async function findInFolder(
  folder: string,
  secrets: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    for (const secret of secrets) if (bytes.includes(secret)) found.push(`${secret} in ${path}`);
  }
  return found;
}
