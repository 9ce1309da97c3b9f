import { Loading } from '../../../parts/loading.tsx';
import type { FollowedSyncs } from './use-syncs.ts';
import { EntityTable } from './entity-table.tsx';
import { RunHistory } from './run-history.tsx';
import { SyncLine } from './sync-line.tsx';

interface Props {
  readonly connectorId: string;
  readonly syncs: FollowedSyncs;
}

/** How the copy of each entity is, as it changes, and what the last syncs did. */
export function SyncsTab({ connectorId, syncs }: Props) {
  const { status } = syncs;
  return (
    <>
      <section className="connector-section" aria-labelledby="copies">
        <div className="connector-section-head">
          <h2 id="copies">Copies</h2>
          <SyncLine syncs={syncs} />
        </div>
        {status === undefined ? (
          syncs.failure === undefined && <Loading what="the copies" />
        ) : (
          <EntityTable connectorId={connectorId} entities={status.entities} />
        )}
      </section>
      <RunHistory connectorId={connectorId} />
    </>
  );
}
