/** A fenced block of a document. */
export interface Block {
  readonly language: string;
  readonly code: string;
}

/** Code of a document that stands on its own, and what the document says that it prints. */
export interface Example extends Block {
  readonly output: string | undefined;
}

/** The fenced blocks of a document, in its order. */
export function blocksIn(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    code,
  }));
}

/**
 * What a reader would run. A TypeScript block that imports nothing goes on where the one before it
 * ended; a `text` block is what the code before it prints.
 */
export function examplesIn(blocks: readonly Block[]): readonly Example[] {
  const examples: Example[] = [];
  for (const { language, code } of blocks) {
    const last = examples.at(-1);
    if (language === 'text' && last !== undefined)
      examples[examples.length - 1] = { ...last, output: (last.output ?? '') + code };
    else if (language === 'ts' && last?.language === 'ts' && !/^import /m.test(code))
      examples[examples.length - 1] = { ...last, code: `${last.code}\n${code}` };
    else examples.push({ language, code, output: undefined });
  }
  return examples;
}
