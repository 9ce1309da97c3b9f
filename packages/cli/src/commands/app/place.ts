import { interruptible } from '../../interruption.ts';
import {
  findOperatorService,
  requireOperatorService,
  type OperatorFlags,
} from '../../service/find-operator-service.ts';
import type { OperatorService } from '../../service/operator-service.ts';
import type { Terminal } from '../../terminal.ts';

/** What every command of this group is given. */
export interface AppPlace {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
}

type Work<T> = (service: OperatorService) => Promise<T>;

/** A call that was cut off may have had its effect. */
const ASK_AGAIN = '`patchbay app list` tells what there is now.';

/** Does something with the running service until Ctrl-C. */
export function withService<T>(flags: OperatorFlags, place: AppPlace, work: Work<T>): Promise<T> {
  return interruptible(
    async (signal) => work(await requireOperatorService(flags, { ...place, signal })),
    ASK_AGAIN,
  );
}

/** The same; `undefined` where it is to be done on the database itself. */
export function withServiceIfAny<T>(
  flags: OperatorFlags,
  place: AppPlace,
  work: Work<T>,
): Promise<T | undefined> {
  return interruptible(async (signal) => {
    const service = await findOperatorService(flags, { ...place, signal });
    return service === undefined ? undefined : work(service);
  }, ASK_AGAIN);
}
