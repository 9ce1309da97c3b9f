import type { ExitName } from './exit-codes.ts';

/** Bad news that the output has told already, such as a failed sync; only the exit code is left. */
export class ToldFailure extends Error {
  override readonly name = 'ToldFailure';
  readonly exit: ExitName;

  constructor(exit: ExitName) {
    super(`ends with ${exit}`);
    this.exit = exit;
  }
}
