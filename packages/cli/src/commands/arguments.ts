import { InvalidArgumentError } from 'commander';

/** A flag's value as a whole number within bounds. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };
}

/** A flag's value as one of the given words. */
export function choice<const W extends string>(...words: readonly W[]): (text: string) => W {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`It must be one of ${words.join(', ')}.`);
  };
}
