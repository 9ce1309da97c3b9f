import { checkBody, FaultList } from '../operations/input.ts';
import { malformed } from './json-body.ts';
import type { PublicCall } from './route.ts';

/** @throws `malformed_json` where the call has no body. */
export function requireBody({ body }: PublicCall): Readonly<Record<string, unknown>> {
  if (body === undefined) throw malformed('it is empty');
  return body;
}

/** @throws `invalid_request` where the body of a call that needs none says something. */
export function refuseMembers({ body }: PublicCall): void {
  if (body === undefined) return;
  const faults = new FaultList();
  checkBody({}, body, faults);
  faults.throwAny();
}

/** A path parameter; Fastify gives every one that the route names. */
export function pathParameter({ params }: PublicCall, name: string): string {
  return params[name] ?? '';
}
