import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isConnectorError } from './errors.ts';
import { allKinds, findKind, findKindByDefinitionId } from './find-kind.ts';
import { KINDS } from './kinds/index.ts';

describe('a kind is found', () => {
  const spellings = [
    'chat-workspace',
    'Chat Workspace',
    'CHAT_WORKSPACE',
    ' chat - workspace ',
    'chat\tworkspace',
    'slack',
    'Slack',
    ' SLACK ',
  ];
  for (const name of spellings)
    test(`by ${JSON.stringify(name)}`, () => {
      assert.equal(findKind(name), KINDS['chat-workspace']);
    });

  test('by its definition id, in any case', () => {
    const { definitionId } = KINDS['chat-workspace'];
    assert.equal(findKindByDefinitionId(definitionId), KINDS['chat-workspace']);
    assert.equal(findKindByDefinitionId(definitionId.toUpperCase()), KINDS['chat-workspace']);
    assert.equal(findKindByDefinitionId(''), undefined);
  });

  test('names, aliases and definition ids are each taken once', () => {
    const names = allKinds().flatMap(({ kind, aliases, definitionId }) => [
      kind,
      ...aliases,
      definitionId,
    ]);
    assert.equal(new Set(names).size, names.length);
    for (const [name, { kind }] of Object.entries(KINDS)) assert.equal(kind, name);
  });
});

describe('no kind is found', () => {
  for (const name of ['', 'chatworkspace', 'toString', '__proto__', 'x'.repeat(10_000)])
    test(`by ${JSON.stringify(name.slice(0, 20))}: unknown_connector_type with those there are`, () => {
      assert.throws(
        () => findKind(name),
        (error) => {
          assert.ok(isConnectorError(error, 'unknown_connector_type'));
          assert.deepEqual(
            error.details.allowed,
            allKinds().flatMap(({ kind, aliases }) => [kind, ...aliases]),
          );
          assert.ok(error.details.given.length <= 80);
          for (const each of [
            'chat-workspace (or slack)',
            'support-ticketing (or zendesk-support)',
          ])
            assert.ok(error.message.includes(each), error.message);
          return true;
        },
      );
    });

  test('but the nearest name is told', () => {
    assert.throws(() => findKind('slak'), /Did you mean "slack"\?/);
  });

  const several: readonly (readonly [string, string])[] = [
    ['zendesk', 'Did you mean "zendesk-chat" or "zendesk-support"?'],
    ['Zendesk', 'Did you mean "zendesk-chat" or "zendesk-support"?'],
    ['chat', 'Did you mean "chat-workspace" or "support-chat"?'],
    ['ticketing', 'Did you mean "support-ticketing"?'],
  ];
  for (const [name, hint] of several)
    test(`by ${name}, which is a word of others: these are told`, () => {
      assert.throws(
        () => findKind(name),
        (error) => {
          assert.ok(isConnectorError(error, 'unknown_connector_type'));
          assert.ok(error.message.endsWith(hint), error.message);
          assert.equal(
            error.details.didYouMean,
            hint.includes(' or ') ? undefined : 'support-ticketing',
          );
          return true;
        },
      );
    });
});
