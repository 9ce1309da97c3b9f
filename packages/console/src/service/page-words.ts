import { plainText } from '../parts/plain-text.ts';

/** What programs do about a failure, and where people do the same. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/ Check the network and baseUrl\.$/, ' Check the network.'],
  [/ Check that baseUrl is the address .*$/, ' Something else may stand in its place.'],
  [
    /repeating the call with idempotencyKey .* is safe/,
    'sending it again with the same key is safe',
  ],
  [/: PATCH \S+ \{"(?:paused|disabled)":false\}/, ', at the top of its page'],
  [/Send: PATCH \S+ \{"config":.*\}\}/, 'Its settings have the fields.'],
  [/PATCH new credentials/, 'give it new ones in its settings'],
  [/^The params of (\S+) are wrong/, 'The fields of $1 are wrong'],
  [/\bparams\.(?=\w)/g, ''],
];

/**
 * A message of the service or the client without the routes, members and options that only programs know. It may quote
 * what an upstream says.
 */
export function inWordsOfPages(message: string): string {
  const line = plainText(message.replaceAll(/\s+/g, ' '));
  return WORDS.reduce((text, [words, instead]) => text.replace(words, instead), line);
}
