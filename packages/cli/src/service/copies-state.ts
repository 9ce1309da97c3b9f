import type { ConnectorInfo, Patchbay, SyncStatus } from '@patchbay/client';

/** A connector, and how old its oldest copy is. */
export interface ConnectorState {
  readonly info: ConnectorInfo;
  /** Start of the last whole read of the entity that was read longest ago; null where there is none. */
  readonly oldestAsOf: string | null;
  readonly oldestEntity: string | null;
  /** Every entity has been read once. */
  readonly isComplete: boolean;
}

/** Connectors, and the state of the copies of the first ones. */
export interface ConnectorStates {
  readonly all: readonly ConnectorInfo[];
  readonly looked: readonly ConnectorState[];
}

/** Whether a connector with that status works again only once somebody does something. */
export function needsSomebody(status: ConnectorInfo['status']): boolean {
  return status === 'degraded' || status === 'reauth_required';
}

/** Asking about each takes a call. */
const MAX_LOOKED = 100;
const AT_ONCE = 8;

/** All connectors within reach, oldest first, and how fresh the copies of the first 100 are. */
export async function readConnectorStates(
  patchbay: Patchbay,
  signal: AbortSignal,
): Promise<ConnectorStates> {
  const all: ConnectorInfo[] = [];
  for await (const info of patchbay.connectors.list.all({}, { signal })) all.push(info);
  const waiting = all.slice(0, MAX_LOOKED).entries();
  const looked: ConnectorState[] = [];
  const look = async (): Promise<void> => {
    for (const [index, info] of waiting)
      looked[index] = stateOf(info, await patchbay.connectors.sync.status(info.id, { signal }));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return { all, looked };
}

function stateOf(info: ConnectorInfo, { entities }: SyncStatus): ConnectorState {
  const read = entities.flatMap(({ entity, as_of: asOf }) =>
    asOf === null ? [] : [{ entity, asOf }],
  );
  // Instants of ISO 8601 sort as texts.
  const oldest = read.toSorted((one, other) => (one.asOf < other.asOf ? -1 : 1))[0];
  return {
    info,
    oldestAsOf: oldest?.asOf ?? null,
    oldestEntity: oldest?.entity ?? null,
    isComplete: entities.every(({ complete }) => complete),
  };
}
