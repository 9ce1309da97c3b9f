import { KindDescription, KindList } from '@patchbay/connectors/wire';
import { describedKind } from '../operations/described-kind.ts';
import { ServedKinds } from '../operations/served-kinds.ts';
import { pathParameter } from './require-body.ts';
import type { Route } from './route.ts';
import { taggedAnswer } from './tagged-answer.ts';

/** @see docs/wire.md#describe */
export function kindRoutes(kinds = new ServedKinds()): readonly Route[] {
  const all = { data: kinds.all.map(describedKind) };
  return [
    {
      method: 'GET',
      path: '/api/v1/connector-kinds',
      reach: 'kinds',
      doc: {
        summary: 'The connector kinds, described',
        tag: 'Kinds',
        answer: KindList,
        isTagged: true,
      },
      handle: (call) => taggedAnswer(call, all),
    },
    {
      method: 'GET',
      path: '/api/v1/connector-kinds/:kind',
      reach: 'kinds',
      doc: { summary: 'One connector kind', tag: 'Kinds', answer: KindDescription, isTagged: true },
      handle: (call) => taggedAnswer(call, describedKind(kinds.find(pathParameter(call, 'kind')))),
    },
  ];
}
