/** A place in a file, as a failing test tells it. */
export interface Found {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** The targets of the links of a document, those in code left out. */
export function linksIn(markdown: string): readonly Found[] {
  return proseLines(markdown).flatMap(({ line, text }) =>
    [
      ...withoutCode(text).matchAll(/\]\(([^()\s]*)\)|<(https?:[^>\s]*)>|^\[[^\]]+\]:\s*(\S+)/g),
    ].map(([, inline, bare, defined]) => ({ line, text: inline ?? bare ?? defined ?? '' })),
  );
}

/** What stands in a document as code within a sentence. */
export function codeIn(markdown: string): readonly Found[] {
  return proseLines(markdown).flatMap(({ line, text }) =>
    [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => ({ line, text: code })),
  );
}

/**
 * The anchors that GitHub gives the headings of a document: lower case, spaces as hyphens, other
 * punctuation but hyphens and underscores left out, repetitions numbered.
 */
export function anchorsIn(markdown: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  return new Set(
    proseLines(markdown).flatMap(({ text }) => {
      const [, heading] = /^#{1,6} +(.+?)(?: +#+)? *$/.exec(text) ?? [];
      if (heading === undefined) return [];
      const slug = slugOf(heading);
      const count = counts.get(slug) ?? 0;
      counts.set(slug, count + 1);
      return [count === 0 ? slug : `${slug}-${count}`];
    }),
  );
}

function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(?<!\w)_(\S.*?)_(?!\w)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

/** The lines outside fenced blocks. */
function proseLines(markdown: string): readonly Found[] {
  let fence: string | undefined;
  return markdown.split('\n').flatMap((text, index) => {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(text) ?? [];
    if (mark === undefined) return fence === undefined ? [{ line: index + 1, text }] : [];
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence)) fence = undefined;
    return [];
  });
}

function withoutCode(text: string): string {
  return text.replace(/`[^`]*`/g, '');
}
