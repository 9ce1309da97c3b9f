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
  // Keeps it running, with nobody connected.
  '--remote-debugging-port=0',
];

/** Lets a page open pop-ups without a click. */
export const POPUPS = '--disable-popup-blocking';

/** Shows a page in Chromium until `work` is done; fails when Chromium ends before. */
export async function showPage<T>(
  url: string,
  work: Promise<T>,
  flags: readonly string[] = [],
): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), 'patchbay-chromium-'));
  const child = spawn(CHROMIUM, [...FLAGS, ...flags, `--user-data-dir=${profile}`, url], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // What it leaves behind goes with the profile.
    env: { ...process.env, TMPDIR: profile },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  const ended = once(child, 'exit');
  try {
    return await Promise.race([
      work,
      ended.then(([code]) => {
        throw new Error(`Chromium ended with ${String(code)}: ${said}`);
      }),
    ]);
  } finally {
    child.kill();
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
