import { findKind } from '@patchbay/connectors/definitions';
import { Type } from 'typebox';
import type { HostConnector } from '../host.ts';
import { fitPage } from '../results/fit-page.ts';
import { maxBytesOf } from '../results/budget.ts';
import { callOptionsOf, oneOf, READS, type Tool } from './tool.ts';

/** Which connectors there are. */
export const listConnectors: Tool = {
  name: 'list_connectors',
  title: 'List connectors',
  describe: () =>
    'Lists the connectors to business systems that you can use: id, kind and name. Needed only where there are several.',
  annotate: () => READS,
  argumentsOf: () => ({
    kind: {
      schema: Type.String({ description: 'Only connectors of this kind.' }),
      isRequired: false,
      expects: 'the name of a connector kind',
    },
  }),
  hintsOf: ({ kinds }) => ({ kind: oneOf(kinds.map(({ kind }) => kind)) }),
  run: async (args, context) => {
    const all = await context.host.connectors(callOptionsOf(context));
    const page = all.filter(isOfKind(all, args['kind']));
    return fitPage({
      page,
      maxBytes: maxBytesOf(args),
      itemsOf: (connectors) => connectors,
      render: (_, connectors, notice) => ({
        connectors,
        ...(notice?.truncated && { truncated: notice.truncated }),
      }),
      shrink: (item) => ({ item, leftOut: [] }),
      fetchSmaller: () => Promise.resolve(undefined),
      goOn: '',
      repeat: () => 'Give kind, or use the id of a connector that the user knows.',
      narrow: '',
    });
  },
};

/** A service may have kinds that this version does not know. */
function isOfKind(
  all: readonly HostConnector[],
  given: unknown,
): (connector: HostConnector) => boolean {
  if (typeof given !== 'string') return () => true;
  const wanted = all.some(({ kind }) => kind === given) ? given : findKind(given).kind;
  return ({ kind }) => kind === wanted;
}
