import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeKind, KINDS, type ConnectorKind } from '@patchbay/connectors';
import { declareCalls } from '../build/declare-calls.ts';

const SURFACE = {
  name: 'Calls',
  imports: ["import type { Call } from './call.ts';"],
  typeOfCall: (entity: string, action: string) => `Call<${entity}, '${action}'>`,
} as const;

const kinds = Object.values<ConnectorKind>(KINDS).map((kind) => describeKind(kind));
const library = declareCalls(kinds, { ...SURFACE, isHosted: false });
const hosted = declareCalls(kinds, { ...SURFACE, isHosted: true });

describe('the declaration of a call surface', () => {
  test('has a comment on every action: its sentence, its params and the page of the vendor', () => {
    const update = [
      '  /**',
      '   * Changes the text of a message.',
      '   *',
      '   * - `channel` (required): Channel id.',
      '   * - `ts` (required): Timestamp of the message.',
      '   * - `text` (required): New text.',
      '   *',
      '   * @see https://docs.slack.dev/reference/methods/chat.update',
      '   */',
      "  readonly update: Call<ChatWorkspaceMessagesEntity, 'update'>;",
    ].join('\n');
    assert.ok(library.includes(update));
    for (const { name, kind, actions } of entities())
      for (const { doc, params, reference, name: action } of actions) {
        const at = hosted.indexOf(`export interface ${kind}${pascalCase(name)} {`);
        const property = hosted.indexOf(`  readonly ${action}: `, at);
        const comment = hosted.slice(hosted.lastIndexOf('  /**', property), property);
        for (const said of [doc, reference, ...params.map((each) => each.doc)])
          assert.ok(comment.includes(said), `${kind}.${name}.${action}: ${said}`);
      }
  });

  test('has searches where a service is behind it, and only there', () => {
    assert.match(hosted, /readonly search: Call<ChatWorkspaceUsersEntity, 'search'>;/);
    assert.doesNotMatch(library, /readonly search:/);
  });

  test('no text of a definition ends a comment', () => {
    const [kind] = kinds;
    assert.ok(kind !== undefined);
    const text = declareCalls([{ ...kind, doc: 'Ends */ here.' }], { ...SURFACE, isHosted: false });
    assert.match(text, /Ends \*\\\/ here\./);
  });
});

function entities() {
  return kinds.flatMap(({ kind, entities: each }) =>
    each.map((entity) => ({ ...entity, kind: pascalCase(kind) })),
  );
}

function pascalCase(name: string): string {
  return name
    .split(/[-_]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}
