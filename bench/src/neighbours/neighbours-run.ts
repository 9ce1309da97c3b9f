import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AttackOrder } from '../processes/attack-process.ts';
import type { Attack } from './attacks.ts';
import { startServerProcess, type ServerProcess } from '../processes/child.ts';
import type { LightLoad, LightReport } from './light-load.ts';
import { makeTenants, TENANTS, type Application, type Tenants } from './neighbours-tenants.ts';

/** What a phase saw. */
export interface Phase {
  readonly light: LightReport;
  /** Whether the service process lived through it. */
  readonly lived: boolean;
  /** How long another tenant's first copy took, or was waited for. */
  readonly copySeconds: number | undefined;
  /** The most that the process has had so far, since it was started. */
  readonly peakMegabytes: number | undefined;
  /** How often the requests of the attack had which outcome. */
  readonly tally: string;
}

interface RunOptions {
  /** Contacts of the large copy. */
  readonly rows: number;
  /** Names the database to the service process. */
  readonly environment: Readonly<Record<string, string>>;
}

interface BesideOptions {
  readonly seconds: number;
  /** What is attacked; the service that the light tenants use unless said. */
  readonly attacked?: NeighboursRun | undefined;
  /** Numbers of the attack that are to differ from its own. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** Contacts of a small account, and users of a small workspace. */
const SMALL_SCALE = 100;
const SERVICE_FLAGS = ['--max-old-space-size=1024'];
/** An attack has so long to get going before anything is measured. */
const LEAD_MS = 1_000;
/** A first copy is waited for so long. */
const COPIED_WITHIN_MS = 30_000;
const ANSWERED_WITHIN_MS = 5_000;
/** So long after an attack the service has to be as it was. */
const RECOVERED_WITHIN_MS = 12_000;
/** It has recovered once a light tenant is served so quickly, so often in a row. */
const SETTLED = { ms: 250, times: 4 };
const BETWEEN_LOOKS_MS = 100;

/** The processes of a run: upstreams and the service, which is started again where it has ended. */
export class NeighboursRun {
  readonly #upstreams: readonly ServerProcess[];
  readonly #environment: Readonly<Record<string, string>>;
  readonly #tenants: Tenants;
  #service: ServerProcess;

  private constructor(parts: {
    readonly upstreams: readonly ServerProcess[];
    readonly environment: Readonly<Record<string, string>>;
    readonly tenants: Tenants;
    readonly service: ServerProcess;
  }) {
    this.#upstreams = parts.upstreams;
    this.#environment = parts.environment;
    this.#tenants = parts.tenants;
    this.#service = parts.service;
  }

  /** Starts everything, and makes the tenants with their copies. */
  static async start({ rows, environment: database }: RunOptions): Promise<NeighboursRun> {
    await using started = new AsyncDisposableStack();
    const small = { BENCH_SMALL_SCALE: String(SMALL_SCALE) };
    const files = started.use(await startServerProcess('files-process.ts'));
    const smallAccounts = started.use(
      await startServerProcess('small-accounts-process.ts', {
        ...small,
        BENCH_FILES: files.ready['origin'] ?? '',
      }),
    );
    const accounts = started.use(
      await startServerProcess('tenants-process.ts', { ...small, BENCH_SCALE: String(rows) }),
    );
    const environment = {
      ...database,
      BENCH_MASTER_KEY: randomBytes(32).toString('hex'),
      BENCH_SLACK: smallAccounts.ready['slack'] ?? '',
      BENCH_ZENDESK: smallAccounts.ready['zendeskSupport'] ?? '',
      BENCH_FILE_ORIGINS: smallAccounts.ready['fileOrigins'] ?? '',
      BENCH_INTERCOM: accounts.ready['intercom'] ?? '',
    };
    const applications = { BENCH_APPLICATIONS: String(TENANTS) };
    const service = started.use(await startService({ ...environment, ...applications }));
    // As its process gives them.
    const credentials = JSON.parse(service.ready['applications'] ?? '') as Application[];
    const tenants = await makeTenants(urlOf(service), credentials);
    started.move();
    return new NeighboursRun({
      upstreams: [files, smallAccounts, accounts],
      environment,
      tenants,
      service,
    });
  }

  /** The light tenants by themselves, and then a first copy by itself. */
  async measureAlone(seconds: number): Promise<Phase> {
    const light = await this.#measureLight(seconds);
    return this.#phase({ light, copySeconds: await this.#measureCopy(), tally: '' });
  }

  /** The same beside an attack. Afterwards nothing is left of it. */
  async measureBeside(
    attack: Attack,
    { seconds, attacked = this, numbers }: BesideOptions,
  ): Promise<Phase> {
    const order: AttackOrder = {
      url: urlOf(attacked.#service),
      name: attack.name,
      numbers,
      attacker: attacked.#tenants.attacker,
    };
    const measured = await this.#duringAttack(order, async () => {
      const copying = attack.delaysCopies === true ? this.#measureCopy() : undefined;
      return { light: await this.#measureLight(seconds), copySeconds: await copying };
    });
    const phase = await this.#phase(measured);
    await attacked.#recover();
    return phase;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service[Symbol.asyncDispose]();
    for (const upstream of this.#upstreams) await upstream[Symbol.asyncDispose]();
  }

  async #duringAttack<T>(order: AttackOrder, measure: () => Promise<T>) {
    await using attacking = await startServerProcess('attack-process.ts', {
      BENCH_ATTACK: JSON.stringify(order),
    });
    await wait(LEAD_MS);
    const measured = await measure();
    const { report } = await attacking.usage();
    return { ...measured, tally: report['tally'] ?? '' };
  }

  async #measureLight(seconds: number): Promise<LightReport> {
    const load: LightLoad = { url: urlOf(this.#service), tenants: this.#tenants.light, seconds };
    await using light = await startServerProcess('light-tenants-process.ts', {
      BENCH_LOAD: JSON.stringify(load),
    });
    // As its process gives it.
    return JSON.parse(light.ready['report'] ?? '') as LightReport;
  }

  async #measureCopy(): Promise<number> {
    const copied = this.#tenants.firstCopySeconds(urlOf(this.#service));
    return (await within(COPIED_WITHIN_MS, copied)) ?? COPIED_WITHIN_MS / 1000;
  }

  async #phase(measured: Pick<Phase, 'light' | 'copySeconds' | 'tally'>): Promise<Phase> {
    const usage = this.#service.isAlive()
      ? await within(ANSWERED_WITHIN_MS, this.#service.usage())
      : undefined;
    return {
      ...measured,
      lived: this.#service.isAlive(),
      peakMegabytes: usage === undefined ? undefined : Math.round(usage.peakBytes / 1e6),
    };
  }

  /** Removes what the attack made, and waits until its effects are over; if need be by a restart. */
  async #recover(): Promise<void> {
    if (this.#service.isAlive()) {
      if ((await within(RECOVERED_WITHIN_MS, this.#cleanUp())) === true) return;
      console.error('the service has not recovered and is started again');
      await this.#service[Symbol.asyncDispose]();
    }
    this.#service = await startService(this.#environment);
    await within(RECOVERED_WITHIN_MS, this.#cleanUp());
  }

  async #cleanUp(): Promise<boolean> {
    const endsAt = performance.now() + RECOVERED_WITHIN_MS;
    const url = urlOf(this.#service);
    await this.#tenants.removeAttacks(url);
    let quick = 0;
    while (quick < SETTLED.times && performance.now() < endsAt) {
      const startedAt = performance.now();
      const isServed = await this.#tenants.isServed(url);
      quick = isServed && performance.now() - startedAt < SETTLED.ms ? quick + 1 : 0;
      await wait(BETWEEN_LOOKS_MS);
    }
    return quick === SETTLED.times;
  }
}

function startService(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  return startServerProcess('neighbours-service-process.ts', environment, SERVICE_FLAGS);
}

function urlOf({ ready }: ServerProcess): string {
  return ready['url'] ?? '';
}

/** What is promised, if it comes in time; a failure is told and counts as if it did not. */
async function within<T>(ms: number, promised: Promise<T>): Promise<T | undefined> {
  const told = promised.catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return undefined;
  });
  return Promise.race([told, wait(ms, undefined, { ref: false })]);
}
