import { en, type Texts } from './en.ts';

const LANGUAGES: readonly Texts[] = [en];

/** The texts in the first language of the person's that there is, or in English. */
export const texts: Texts = textsFor(navigator.languages);

function textsFor(wanted: readonly string[]): Texts {
  for (const tag of wanted) {
    const found = LANGUAGES.find(({ language }) => language === tag.split('-', 1)[0]);
    if (found !== undefined) return found;
  }
  return en;
}
