import { startCli, type RunningCli } from '../../support/run-cli.ts';
import { pause } from '../pause.ts';

export interface ServiceProcessOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** Told of every end that nobody asked for, with what the process said last. */
  readonly onExit: (description: string) => void;
}

const START_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 30_000;
const RESTART_AFTER_MS = 500;

/** A service that is started again when it ends by itself, as by a supervisor. */
export class ServiceProcess implements AsyncDisposable {
  readonly #options: ServiceProcessOptions;
  #running: RunningCli | undefined;
  #url: string | undefined;
  #starting: Promise<void> | undefined;
  /** It is to run: whoever ends it by force has said so before. */
  #isWanted = false;

  constructor(options: ServiceProcessOptions) {
    this.#options = options;
  }

  /** Where it listens; `undefined` while it does not. */
  get url(): string | undefined {
    return this.#url;
  }

  /** Resolves when it can be called, at once where it can be already. */
  async start(): Promise<void> {
    this.#isWanted = true;
    await this.#starting;
    if (this.#url !== undefined) return;
    this.#starting = this.#startUntilUp();
    await this.#starting;
  }

  signal(signal: NodeJS.Signals): void {
    this.#running?.process.kill(signal);
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#isWanted = false;
    await this.#end('SIGKILL');
  }

  /** SIGTERM; resolves with the seconds until it was gone, or was killed after half a minute. */
  async stop(): Promise<number> {
    this.#isWanted = false;
    const startedAt = performance.now();
    const timer = setTimeout(() => this.signal('SIGKILL'), STOP_WITHIN_MS);
    await this.#end('SIGTERM');
    clearTimeout(timer);
    return (performance.now() - startedAt) / 1_000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#running;
    this.signal(signal);
    await running?.finished;
  }

  async #startUntilUp(): Promise<void> {
    while (this.#isWanted && !(await this.#startOnce())) await pause(RESTART_AFTER_MS);
  }

  /** Whether it is up. */
  async #startOnce(): Promise<boolean> {
    const running = startCli(['start'], this.#options.environment);
    this.#running = running;
    const timer = setTimeout(() => running.process.kill('SIGKILL'), START_WITHIN_MS);
    const url = await running.untilOut('Patchbay is ready at').then(urlIn, () => undefined);
    clearTimeout(timer);
    this.#url = url;
    void this.#watch(running);
    return url !== undefined;
  }

  async #watch(running: RunningCli): Promise<void> {
    const { code, err } = await running.finished;
    if (this.#running !== running) return;
    const wasUp = this.#url !== undefined;
    this.#url = undefined;
    this.#running = undefined;
    if (!this.#isWanted) return;
    this.#options.onExit(`code ${code}, having said: ${lastLines(err)}`);
    if (!wasUp) return;
    await pause(RESTART_AFTER_MS);
    await this.#startAgain();
  }

  /** Unless it has been killed on purpose meanwhile. */
  async #startAgain(): Promise<void> {
    if (this.#isWanted) await this.start();
  }
}

function urlIn(told: string): string | undefined {
  return /ready at (http:\S+)/.exec(told)?.[1];
}

function lastLines(text: string): string {
  const kept = text.trimEnd().split('\n').slice(-3);
  return kept.map((line) => line.slice(0, 600)).join(' ⏎ ');
}
