export type FindingKind = 'lost' | 'doubled' | 'wrong';

/** What was found to be wrong, and how often. */
export class Findings {
  readonly #counts = new Map<FindingKind, Map<string, number>>();

  /** @param sentence Without ids and numbers, so that like ones are counted together. */
  add(kind: FindingKind, sentence: string): void {
    const sentences = this.#counts.get(kind) ?? new Map<string, number>();
    sentences.set(sentence, (sentences.get(sentence) ?? 0) + 1);
    this.#counts.set(kind, sentences);
  }

  count(kind: FindingKind): number {
    return [...(this.#counts.get(kind)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  }

  /** One line for each sentence. */
  lines(): readonly string[] {
    return [...this.#counts].flatMap(([kind, sentences]) =>
      [...sentences].map(([sentence, count]) => `${kind} ×${count}: ${sentence}`),
    );
  }
}
