import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHROMIUM } from '@patchbay/connectors/testing';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-port=0',
];

type Json = Readonly<Record<string, unknown>>;

/** A page in Chromium, steered by its debugging protocol. */
export interface ChromiumPage extends AsyncDisposable {
  /** Goes to an address, and waits until something is loaded there, or where that leads. */
  open(url: string): Promise<void>;
  /** Runs what makes another page load, and waits until that is there. */
  leaveBy(expression: string): Promise<void>;
  /** Clicks the element of a selector, and waits until another page is loaded. */
  clickThrough(selector: string): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
  send(method: string, parameters?: Json): Promise<Json>;
  /** The events so far of the domains that have been enabled, in order. */
  readonly events: readonly ChromiumEvent[];
}

/** An event of the debugging protocol. */
export interface ChromiumEvent {
  readonly method: string;
  readonly params: Json;
}

/** Starts Chromium with one page, and a profile of its own. */
export async function startChromium(): Promise<ChromiumPage> {
  const profile = await mkdtemp(join(tmpdir(), 'patchbay-chromium-'));
  const child = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TMPDIR: profile },
  });
  const ended = once(child, 'exit');
  const origin = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const host = /DevTools listening on ws:\/\/([^/]+)/.exec(said)?.[1];
      if (host !== undefined) resolve(`http://${host}`);
    });
    child.once('exit', () => reject(new Error(`Chromium ended: ${said.slice(-2_000)}`)));
  });
  const targets = (await (await fetch(`${origin}/json/list`)).json()) as readonly {
    readonly type: string;
    readonly webSocketDebuggerUrl: string;
  }[];
  const target = targets.find(({ type }) => type === 'page');
  if (target === undefined) throw new Error('Chromium has no page');
  const page = await connect(target.webSocketDebuggerUrl);
  await page.send('Page.enable');
  return {
    ...page,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function connect(url: string): Promise<Omit<ChromiumPage, typeof Symbol.asyncDispose>> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  let last = 0;
  const waiting = new Map<number, (answer: Json) => void>();
  const loads: (() => void)[] = [];
  const events: ChromiumEvent[] = [];
  socket.addEventListener('message', ({ data }) => {
    // By the protocol: an answer with the id of its call, or an event.
    const message = JSON.parse(String(data)) as {
      id?: number;
      method?: string;
      params?: Json;
      result?: Json;
    };
    if (message.method !== undefined)
      events.push({ method: message.method, params: message.params ?? {} });
    if (message.id !== undefined) waiting.get(message.id)?.(message.result ?? {});
    if (message.method === 'Page.loadEventFired') for (const told of loads.splice(0)) told();
  });
  const send = (method: string, params: Json = {}) =>
    new Promise<Json>((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  const evaluate = async (expression: string) => {
    const { result } = await send('Runtime.evaluate', { expression, returnByValue: true });
    // By the protocol: a remote object.
    return (result as { readonly value?: unknown }).value;
  };
  const untilLoaded = async (begin: () => Promise<unknown>) => {
    const loaded = new Promise<void>((resolve) => loads.push(resolve));
    await begin();
    await loaded;
  };
  // The page may be gone before it has answered.
  const leaveBy = (expression: string) =>
    untilLoaded(() => send('Runtime.evaluate', { expression }));
  return {
    send,
    evaluate,
    events,
    open: (address) => untilLoaded(() => send('Page.navigate', { url: address })),
    leaveBy,
    clickThrough: (selector) =>
      leaveBy(`document.querySelector(${JSON.stringify(selector)}).click()`),
  };
}
