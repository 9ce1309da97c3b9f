import './explorer.css';
import type { KindDescription } from '@patchbay/client';
import { ConnectorChoice } from '../../parts/connector-choice.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { changeQuery, usePlace } from '../../routing/location.ts';
import { useConnector } from '../../service/connectors.ts';
import { useDescription } from '../../service/description.ts';
import { failureOf } from '../../service/failure.ts';
import { ActionChoice } from './action-choice.tsx';
import { CallPanel } from './call-panel.tsx';

/** Any call of any connector, tried out; the address says which one. */
export function ExplorerPage() {
  const { query } = usePlace();
  const connectorId = query.get('connector') ?? '';
  const connector = useConnector(connectorId);
  const kind = useDescription(connectorId);
  const error = connector.error ?? kind.error;
  const retry = () => {
    void connector.refetch();
    void kind.refetch();
  };
  const chosen = kind.data && choiceIn(kind.data, query.get('entity'), query.get('action'));
  return (
    <>
      <h1>Explorer</h1>
      <div className="row chooser">
        <ConnectorChoice
          value={connectorId}
          onChange={(id) => changeQuery({ connector: id, entity: '', action: '' })}
        />
        {kind.data !== undefined && chosen !== undefined && (
          <ActionChoice
            kind={kind.data}
            entity={chosen.entity.name}
            action={chosen.action.name}
            onChange={changeQuery}
          />
        )}
      </div>
      {connectorId === '' && (
        <p className="dim">Choose a connector: then any of its actions can be tried out here.</p>
      )}
      {error !== null && <FailureNotice failure={failureOf(error)} onRetry={retry} />}
      {connectorId !== '' && error === null && chosen === undefined && (
        <Loading what="what the connector can do" />
      )}
      {connector.data !== undefined && kind.data !== undefined && chosen !== undefined && (
        <CallPanel
          key={`${connectorId} ${chosen.entity.name} ${chosen.action.name}`}
          connector={connector.data}
          kind={kind.data}
          {...chosen}
        />
      )}
    </>
  );
}

/** What the address names, or else the first that there is. */
function choiceIn(kind: KindDescription, entityName: string | null, actionName: string | null) {
  const entity = kind.entities.find(({ name }) => name === entityName) ?? kind.entities[0];
  const action = entity?.actions.find(({ name }) => name === actionName) ?? entity?.actions[0];
  return entity === undefined || action === undefined ? undefined : { entity, action };
}
