import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GLOBALS, isBrowser, type Globals } from './globals.ts';

const rows: readonly (readonly [place: string, globals: Globals, isIn: boolean])[] = [
  ['a page', { document: {} }, true],
  ['a page with a polyfilled process', { document: {}, process: { env: {} } }, true],
  ['jsdom in Node', { document: {}, process: { env: { HOME: '/root' } } }, true],
  ['a Web worker or a service worker', { WorkerNavigator: Function }, true],
  ['this Node', GLOBALS, false],
  ['Node, Bun', { process: { env: {} } }, false],
  ['Deno', { Deno: {}, process: { env: {} } }, false],
  ['a worker of Deno', { Deno: {}, WorkerNavigator: Function }, false],
  ['an edge runtime', {}, false],
];
for (const [place, globals, isIn] of rows)
  test(`${place} is ${isIn ? 'a' : 'no'} browser`, () => assert.equal(isBrowser(globals), isIn));
