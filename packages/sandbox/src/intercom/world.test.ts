import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';

import { conversationId, conversationPosition } from './seeded-conversations.ts';
import { CONTACT_SALT, World } from './world.ts';

const seeds = fc.integer({ min: 0, max: 0xffff_ffff });
const DATA_ENDS_AT = Date.UTC(2026, 0, 1);

it('ids lead back to their positions in every workspace', () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 0, max: 2_000_000 }), (seed, position) => {
      const world = new World({ seed, scale: 1_000_000, dataEndsAt: DATA_ENDS_AT });
      assert.equal(world.objectPosition(world.contactId(position), CONTACT_SALT), position);
      assert.equal(conversationPosition(world, conversationId(world, position)), position);
      assert.equal(world.objectPosition(world.companyId(position), CONTACT_SALT), undefined);
    }),
  );
});

it('records never come before the ones at earlier positions, nor change before they came', () => {
  const scales = fc.integer({ min: 10, max: 1_000_000 });
  fc.assert(
    fc.property(seeds, scales, fc.nat(), (seed, scale, place) => {
      const world = new World({ seed, scale, dataEndsAt: DATA_ENDS_AT });
      const position = place % scale;
      const createdAt = world.createdAt(position, scale);
      const updatedAt = world.updatedAt(position, createdAt, CONTACT_SALT);
      assert.ok(createdAt <= world.createdAt(position + 1, scale));
      assert.ok(createdAt <= updatedAt && updatedAt < world.endsAt);
    }),
  );
});
