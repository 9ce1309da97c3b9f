import { startCli } from '../../support/run-cli.ts';
import { at, listAt } from '../json.ts';

/** The simulated upstreams, in a process that survives whatever happens to the service. */
export interface SandboxProcess extends AsyncDisposable {
  /** Settings that lead a service to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Reads straight from an upstream of it, without the service. */
  read(upstream: 'slack' | 'intercom', path: string): Promise<unknown>;
  /**
   * Adds a fault, as packages/sandbox/README.md has them; the returned function ends it and says
   * how many calls have met it.
   */
  addFault(fault: SandboxFault): Promise<() => Promise<number>>;
}

export interface SandboxFault {
  readonly kind: string;
  /** It is spent after so many calls. */
  readonly times?: number;
  readonly [option: string]: unknown;
}

const BASE_URLS = {
  slack: 'PATCHBAY_UPSTREAM_URL_CHAT_WORKSPACE',
  intercom: 'PATCHBAY_UPSTREAM_URL_CUSTOMER_MESSAGING',
} as const;

export async function startSandboxProcess(scale: number, seed: number): Promise<SandboxProcess> {
  const flags = ['--port', '0', '--scale', String(scale), '--seed', String(seed)];
  const running = startCli(['sandbox', ...flags], {});
  const told = await running.untilOut('Ctrl-C');
  const origin = /The sandbox is at (http:\S+);/.exec(told)?.[1] ?? '';
  const environment = Object.fromEntries(
    [...told.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll("'", ''),
    ]),
  );
  const control = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${origin}/_sandbox/${path}`, init);
    if (!answer.ok) throw new Error(`the sandbox answered ${answer.status} to ${path}`);
    return await answer.json();
  };
  return {
    environment,
    read: async (upstream, path) => {
      const url = `${environment[BASE_URLS[upstream]]}${path}`;
      const answer = await fetch(url, { headers: { authorization: 'Bearer judge' } });
      if (!answer.ok) throw new Error(`${upstream} answered ${answer.status} to ${path}`);
      return await answer.json();
    },
    addFault: async (fault) => {
      const added = await control('faults', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fault),
      });
      const id = at(added, 'id');
      return async () => {
        const present = listAt(await control('faults'), 'faults');
        const active = present.find((each) => at(each, 'id') === id);
        if (active === undefined) return fault.times ?? 0;
        await control(`faults/${String(id)}`, { method: 'DELETE' });
        return Number(at(active, 'hits'));
      };
    },
    [Symbol.asyncDispose]: async () => {
      running.process.kill('SIGTERM');
      await running.finished;
    },
  };
}
