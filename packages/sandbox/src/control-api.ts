import type { FaultBoard } from './fault-board.ts';
import { FaultRefused, parseFault } from './fault-parsing.ts';
import type { RequestLog } from './request-log.ts';
import { parseGrantRequest } from './sandbox-oauth.ts';
import type { SandboxOAuth } from './sandbox-oauth.ts';
import type { UpstreamAnswer } from './upstream.ts';

/** What the control surface shows and steers. */
export interface ControlContext {
  readonly board: FaultBoard;
  readonly log: RequestLog;
  readonly oauth: SandboxOAuth;
  /** Facts about the sandbox, as `GET /_sandbox/health` gives them. */
  readonly describe: () => Readonly<Record<string, unknown>>;
}

/** A request to the control surface; `path` is what follows `/_sandbox/`. */
export interface ControlRequest {
  readonly verb: string;
  readonly path: string;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

/** Where the control surface is mounted. */
export const CONTROL_PREFIX = '/_sandbox/';

/**
 * Answers the control surface: `GET health`, `GET|DELETE requests`, `GET|POST|DELETE faults`,
 * `DELETE faults/<id>`, `GET oauth`, `POST oauth/grants`, `DELETE oauth/grants/<id>`. Everything is
 * JSON.
 */
export function answerControl(request: ControlRequest, context: ControlContext): UpstreamAnswer {
  const { verb, path } = request;
  const { board, log, oauth } = context;
  switch (`${verb} ${path}`) {
    case 'GET health':
      return json(200, { ok: true, ...context.describe() });
    case 'GET requests':
      return json(200, { requests: log.list() });
    case 'DELETE requests':
      log.clear();
      return json(200, { ok: true });
    case 'GET faults':
      return json(200, { faults: board.list() });
    case 'POST faults':
      return addPosted(request, (posted) => ({ id: board.add(parseFault(posted)).id }));
    case 'DELETE faults':
      board.clear();
      return json(200, { ok: true });
    case 'GET oauth':
      return json(200, { servers: oauth.servers, grants: oauth.grants() });
    case 'POST oauth/grants':
      return addPosted(request, (posted) => ({
        tokens: oauth.grant(parseGrantRequest(posted, oauth)),
      }));
  }
  if (verb === 'DELETE' && remove(path, context)) return json(200, { ok: true });
  return json(404, { ok: false, problems: [`nothing answers ${verb} ${CONTROL_PREFIX}${path}`] });
}

/** Removes the fault or ends the consent at a path; false when there is none. */
function remove(path: string, { board, oauth }: ControlContext): boolean {
  const [, list, id = ''] = /^(faults|oauth\/grants)\/(.+)$/.exec(path) ?? [];
  if (list === 'faults') return board.remove(id);
  return list !== undefined && oauth.revoke(id);
}

/** Answers 201 with what `add` makes of a JSON body. */
function addPosted(
  { contentType, body }: ControlRequest,
  add: (posted: unknown) => Readonly<Record<string, unknown>>,
): UpstreamAnswer {
  // A page in a browser can post a form or plain text to any local port, but not JSON.
  if (!/^application\/json\b/i.test(contentType ?? '')) {
    return json(415, { ok: false, problems: ['send application/json'] });
  }
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return json(201, { ok: true, ...add(parsed) });
  } catch (error) {
    if (error instanceof FaultRefused) return json(400, { ok: false, problems: error.problems });
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return json(400, { ok: false, problems: [error.message] });
    }
    throw error;
  }
}

function json(status: number, body: Readonly<Record<string, unknown>>): UpstreamAnswer {
  return {
    status,
    headers: ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'],
    body: Buffer.from(JSON.stringify(body)),
  };
}
