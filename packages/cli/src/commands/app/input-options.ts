import { Option, type Command } from 'commander';
import type { ApplicationInput } from '../../service/operator-service.ts';
import { collectTexts, wholeNumber } from '../arguments.ts';

/** What flags say of an application. */
export interface InputFlags {
  readonly name?: string;
  readonly origin?: readonly string[];
  readonly returnUrl?: readonly string[];
  readonly rateLimit?: number;
}

/** As much as the service takes. */
const MAX_RATE_LIMIT = 10_000_000;

/** What may be said of an application besides its name. */
export function addInputOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--origin <origin>',
        'of a page that may open the connect page, such as https://app.example.com; repeatable',
      ).argParser(collectTexts),
    )
    .addOption(
      new Option(
        '--return-url <url>',
        'where people may be sent back to, without query; repeatable',
      ).argParser(collectTexts),
    )
    .option(
      '--rate-limit <calls>',
      'calls a minute, 0 for the limit of the service',
      wholeNumber(0, MAX_RATE_LIMIT),
    );
}

/** The same as the service takes it; what was not given is not there. */
export function inputOf({ name, origin, returnUrl, rateLimit }: InputFlags): ApplicationInput {
  return {
    ...(name === undefined ? {} : { name }),
    ...(origin === undefined ? {} : { allowed_origins: origin }),
    ...(returnUrl === undefined ? {} : { allowed_return_urls: returnUrl }),
    ...(rateLimit === undefined ? {} : { rate_limit: rateLimit }),
  };
}
