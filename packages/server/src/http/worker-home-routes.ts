import type { PublicCall, Route } from './route.ts';
import { object } from './schemas.ts';

/** Who may read the metrics is told by where they are asked for; here, only how to have them. */
const METRICS =
  'Metrics, where they are switched on: /metrics on PATCHBAY_METRICS_PORT, or on this port with PATCHBAY_METRICS_TOKEN.';
const LINKS = { health: '/healthz', ready: '/readyz' };

/** What people and programs find at the address of a process that answers no calls. */
export function workerHomeRoutes(version: string): readonly Route[] {
  const text = { type: 'string' };
  const headers = { vary: 'accept' };
  return [
    {
      method: 'GET',
      path: '/',
      reach: 'public',
      doc: {
        summary: 'What this is, in words or as JSON',
        tag: 'System',
        answer: object({
          name: text,
          version: text,
          role: text,
          links: object({ health: text, ready: text }),
        }),
        further: { '200': { 'text/plain': undefined } },
      },
      handle: (call) =>
        wantsWords(call)
          ? { status: 200, text: wordsOf(version), type: 'text/plain; charset=utf-8', headers }
          : {
              status: 200,
              body: { name: 'Patchbay', version, role: 'worker', links: LINKS },
              headers,
            },
    },
  ];
}

function wantsWords({ header }: PublicCall): boolean {
  return /\btext\/(?:html|plain)\b/i.test(header('accept') ?? '');
}

function wordsOf(version: string): string {
  return `Patchbay ${version}, a process of the role worker.

It copies records for searches, and answers no calls: those go to processes of the role api.

/healthz  whether the process lives
/readyz   whether it can work

${METRICS}
`;
}
