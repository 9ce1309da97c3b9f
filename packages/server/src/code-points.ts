/** How many characters a text has, each half of no surrogate pair and each pair counted once. */
export function countCodePoints(text: string): number {
  return Array.from(text).length;
}
