import type { Call, SurfaceName } from '../call.ts';
import type { Outcome } from '../outcome.ts';

/** One way to make calls. What it answers in a form of its own, it brings into the common one. */
export interface Surface {
  readonly name: SurfaceName;
  run(call: Call): Promise<Outcome>;
}
