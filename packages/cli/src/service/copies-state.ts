import type { ConnectorInfo, Patchbay, SyncStatus } from '@patchbay/client';

/** Connectors, and which of their copies is the oldest. */
export interface ConnectorStates {
  /** Oldest first. */
  readonly all: readonly ConnectorInfo[];
  /** Absent where nothing has been copied. */
  readonly oldest: OldestCopy | undefined;
}

/** The copy that was read longest ago, of all connectors. */
export interface OldestCopy {
  readonly info: ConnectorInfo;
  /** Start of its last whole read. */
  readonly asOf: string;
  /** Null where it has been read again meanwhile. */
  readonly entity: string | null;
}

/** Whether a connector with that status works again only once somebody does something. */
export function needsSomebody(status: ConnectorInfo['status']): boolean {
  return status === 'degraded' || status === 'reauth_required';
}

/** All connectors within reach; how fresh each is, the list says. */
export async function readConnectorStates(
  patchbay: Patchbay,
  signal: AbortSignal,
): Promise<ConnectorStates> {
  const all: ConnectorInfo[] = [];
  for await (const info of patchbay.connectors.list.all({}, { signal })) all.push(info);
  const [oldest] = all
    .flatMap((info) => {
      const asOf = info.freshness?.as_of;
      return asOf === undefined || asOf === null ? [] : [{ info, asOf }];
    })
    // Instants of ISO 8601 sort as texts.
    .toSorted((one, other) => (one.asOf < other.asOf ? -1 : 1));
  if (oldest === undefined) return { all, oldest: undefined };
  const status = await patchbay.connectors.sync.status(oldest.info.id, { signal });
  return { all, oldest: { ...oldest, entity: entityReadAt(oldest.asOf, status) } };
}

function entityReadAt(asOf: string, { entities }: SyncStatus): string | null {
  return entities.find((each) => each.as_of === asOf)?.entity ?? null;
}
