import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { at, callOf, SURFACES, type Call, type SurfaceName } from './call.ts';
import { CALLS } from './calls/index.ts';
import { expectedOf, whyNot } from './differences.ts';
import type { Outcome } from './outcome.ts';
import { cliSurface } from './surfaces/cli.ts';
import { clientSurface } from './surfaces/client.ts';
import { httpSurface } from './surfaces/http.ts';
import { librarySurface } from './surfaces/library.ts';
import { mcpSurface } from './surfaces/mcp.ts';
import type { Surface } from './surfaces/surface.ts';
import { makeWorld, type World } from './world/world.ts';

/** Values are compared with the order of their keys, which is the one of the service reference. */
function comparable(outcome: Outcome) {
  return outcome.ok ? { ...outcome, json: JSON.stringify(outcome.value) } : outcome;
}

describe('the same calls give the same through every surface', () => {
  const opened = new AsyncDisposableStack();
  let world: World;
  let surfaces: Readonly<Record<SurfaceName, Surface>>;
  const known: Record<string, unknown> = {};

  before(async () => {
    world = opened.use(await makeWorld());
    surfaces = {
      http: await httpSurface(world),
      library: librarySurface(world),
      client: clientSurface(world),
      cli: cliSurface(world),
      mcp: opened.use(await mcpSurface(world)),
    };
  });
  after(() => opened.disposeAsync());

  for (const row of CALLS) {
    const takers = SURFACES.filter((name) => whyNot(name, row) === undefined);
    test(`${row.operation}: ${row.name} (${takers.join(', ')})`, async () => {
      const call = callOf(row, known);
      const outcomes: Record<string, unknown> = {};
      const expected: Record<string, unknown> = {};
      let reference: Outcome | undefined;
      const upstreamOrigin = new URL(world.gate.url).origin;
      for (const name of takers) {
        const outcome = await runInTrouble(surfaces[name], call);
        reference ??= outcome;
        outcomes[name] = comparable(outcome);
        expected[name] = comparable(expectedOf(name, { ...call, upstreamOrigin }, reference));
      }
      assert.ok(reference !== undefined);
      assertExpected(call, reference);
      assert.deepEqual(outcomes, expected);
      learn(call, reference);
    });
  }

  async function runInTrouble(surface: Surface, call: Call): Promise<Outcome> {
    const { trouble } = call;
    if (trouble === undefined) return surface.run(call);
    await using healing = new AsyncDisposableStack();
    if (trouble === 'gone') {
      await world.gate.goAway();
      healing.defer(() => world.gate.comeBack());
      return await surface.run(call);
    }
    const sandbox = world.sandboxOf(surface.name, call);
    const faults = [trouble].flat().map((each) => sandbox.faults.add(each));
    healing.defer(() => faults.forEach((fault) => fault.release()));
    const outcome = await surface.run(call);
    assert.ok(
      faults.every(({ hits }) => hits > 0),
      `${surface.name} did not meet the trouble`,
    );
    return outcome;
  }

  function learn({ learn: names = {} }: Call, outcome: Outcome): void {
    for (const [name, path] of Object.entries(names)) {
      const value = outcome.ok ? at(outcome.value, path) : undefined;
      assert.ok((value ?? null) !== null, `there is nothing at ${path}`);
      known[name] = value;
    }
  }
});

function assertExpected({ expect, faults }: Call, outcome: Outcome): void {
  if (expect === undefined) return assert.equal(outcome.ok, true, JSON.stringify(outcome));
  assert.ok(!outcome.ok, 'it went well');
  assert.equal(outcome.code, expect, outcome.message);
  if (faults === undefined) return;
  assert.deepEqual(
    outcome.faults.map(({ field }) => field),
    faults,
  );
}

test('sixty calls and more are made through all five surfaces', () => {
  const throughAll = CALLS.filter((row) =>
    SURFACES.every((name) => whyNot(name, row) === undefined),
  );
  assert.ok(throughAll.length >= 60, `${throughAll.length} of ${CALLS.length}`);
});
