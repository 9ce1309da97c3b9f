import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';

import { memberIndex, memberPosition, seededConversation } from './seeded-conversations.ts';
import { SeededMessages } from './seeded-messages.ts';
import { World } from './world.ts';

const worlds = fc.record({
  seed: fc.integer({ min: 0, max: 0xffff_ffff }),
  scale: fc.integer({ min: 10, max: 1_000_000 }),
});
const DATA_ENDS_AT = Date.UTC(2026, 0, 1);

it('every id leads back to its position', () => {
  fc.assert(
    fc.property(worlds, fc.nat(), (options, nth) => {
      const world = new World({ ...options, dataEndsAt: DATA_ENDS_AT });
      const user = nth % world.userCount;
      assert.equal(world.userPosition(world.userId(user)), user);
      const position = nth % world.conversationCount;
      const kind = world.seededKind(position) ?? 'im';
      const id = world.conversationId(position, kind);
      assert.match(id, /^[CDG][0-9A-Z]{10}$/);
      assert.equal(world.conversationPosition(id), position);
    }),
  );
});

it('every member leads back to its place, and nobody is a member twice', () => {
  fc.assert(
    fc.property(worlds, fc.nat(), (options, nth) => {
      const world = new World({ ...options, dataEndsAt: DATA_ENDS_AT });
      const seeded = seededConversation(world, nth % world.conversationCount);
      const member = nth % seeded.memberCount;
      assert.equal(memberIndex(world, seeded, memberPosition(world, seeded, member)), member);
    }),
  );
});

it('every seeded message is found by its time, and times rise through a conversation', () => {
  fc.assert(
    fc.property(worlds, fc.nat(), (options, nth) => {
      const world = new World({ ...options, dataEndsAt: DATA_ENDS_AT });
      const seeded = seededConversation(world, nth % world.conversationCount);
      const messages = new SeededMessages(world, seeded);
      let lastAt = 0;
      const firstSlot = nth % Math.max(1, seeded.messageCount - 3);
      const endSlot = Math.min(seeded.messageCount, firstSlot + 3);
      for (let slot = firstSlot; slot < endSlot; slot += 1) {
        for (let reply = -1; reply < messages.replyCount(slot); reply += 1) {
          const place = { slot, reply: reply === -1 ? undefined : reply };
          const at = messages.timeOf(place);
          assert.ok(at > lastAt && at < world.endsAt);
          assert.deepEqual(messages.placeOf(at), place);
          assert.equal(messages.placeOf(at + 1), undefined);
          lastAt = at;
        }
      }
    }),
  );
});
