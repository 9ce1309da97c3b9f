import { countCharacters } from './characters.ts';
import { SlackError } from './slack-error.ts';

const MAX_NAME_CHARACTERS = 80;
const ALLOWED = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}_-]+$/u;
const ONLY_PUNCTUATION = /^[_-]+$/;

/**
 * Checks a name for a channel.
 *
 * @throws SlackError `invalid_name_required`, `invalid_name_maxlength`,
 *   `invalid_name_punctuation` or `invalid_name_specials`.
 * @see https://docs.slack.dev/reference/methods/conversations.create
 */
export function checkChannelName(name: string): void {
  if (name === '') refuse('invalid_name_required', 'was empty');
  if (countCharacters(name) > MAX_NAME_CHARACTERS) refuse('invalid_name_maxlength', 'is too long');
  if (ONLY_PUNCTUATION.test(name)) refuse('invalid_name_punctuation', 'is only punctuation');
  if (!ALLOWED.test(name)) {
    refuse('invalid_name_specials', 'has special or upper case characters');
  }
}

function refuse(code: string, what: string): never {
  throw new SlackError(code, { detail: `The value of \`name\` ${what}.` });
}
