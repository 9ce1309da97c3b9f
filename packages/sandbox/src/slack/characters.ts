/** How many characters a text has, counting code points as Slack's limits do. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** The first `max` code points of a text, never half of one. */
export function cutCharacters(text: string, max: number): string {
  return text.length <= max ? text : Array.from(text).slice(0, max).join('');
}
