import { malformed } from './json-body.ts';
import type { PublicCall } from './route.ts';

/** @throws `malformed_json` where the call has no body. */
export function requireBody({ body }: PublicCall): Readonly<Record<string, unknown>> {
  if (body === undefined) throw malformed('it is empty');
  return body;
}

/** A path parameter; Fastify gives every one that the route names. */
export function pathParameter({ params }: PublicCall, name: string): string {
  return params[name] ?? '';
}
