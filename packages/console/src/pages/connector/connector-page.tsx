import './connector.css';
import { isConnectorError } from '@patchbay/client';
import { useEffect } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Link } from '../../routing/link.tsx';
import { usePlace } from '../../routing/location.ts';
import type { ConnectorInfo } from '@patchbay/client';
import { useConnector } from '../../service/connectors.ts';
import { useDescription } from '../../service/description.ts';
import { failureOf } from '../../service/failure.ts';
import { useSyncs } from './syncs/use-syncs.ts';
import type { PageProps } from '../../shell/pages.ts';
import { ConnectorHead } from './connector-head.tsx';
import { tabIn } from './connector-address.ts';
import { ConnectorTabs } from './connector-tabs.tsx';
import { ConnectorWarnings } from './connector-warnings.tsx';
import { RecordsTab } from './records/records-tab.tsx';
import { SettingsTab } from './settings/settings-tab.tsx';
import { SyncsTab } from './syncs/syncs-tab.tsx';

/** One connector: how it is, what can be done about it, and what its copy holds. */
export function ConnectorPage({ params }: PageProps) {
  const id = params['id'] ?? '';
  const { data, error, refetch } = useConnector(id);
  if (isConnectorError(error) && error.code === 'connector_not_found') return <NoConnector />;
  if (data !== undefined) return <LoadedConnector connector={data} refreshError={error} />;
  if (error === null) return <Loading what="the connector" />;
  return (
    <>
      <h1>The connector cannot be read</h1>
      <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
    </>
  );
}

function NoConnector() {
  return (
    <>
      <h1>There is no such connector</h1>
      <p>
        It has been deleted, or is of another application. <Link to="/">Show all connectors</Link>
      </p>
    </>
  );
}

interface LoadedProps {
  readonly connector: ConnectorInfo;
  /** Why what is shown may be of before. */
  readonly refreshError: Error | null;
}

function LoadedConnector({ connector, refreshError }: LoadedProps) {
  const { query } = usePlace();
  useEffect(() => {
    document.title = `${connector.name} · Patchbay`;
  }, [connector.name]);
  const syncs = useSyncs(connector.id);
  const description = useDescription(connector.id);
  const tab = tabIn(query);
  const failure = description.error ?? (syncs.failure === undefined ? refreshError : null);
  return (
    <>
      <ConnectorHead connector={connector} onChanged={syncs.askNow} />
      <ConnectorWarnings
        connector={connector}
        vendor={description.data?.display_name ?? 'The upstream'}
        entities={syncs.status?.entities ?? []}
      />
      <ConnectorTabs id={connector.id} tab={tab} />
      {failure !== null && (
        <FailureNotice
          failure={failureOf(failure)}
          {...(description.error === null ? {} : { onRetry: () => void description.refetch() })}
        />
      )}
      {tab === 'syncs' && <SyncsTab connectorId={connector.id} syncs={syncs} />}
      {tab !== 'syncs' && description.isPending && <Loading what="what it can do" />}
      {tab === 'records' && description.data !== undefined && (
        <RecordsTab connector={connector} kind={description.data} status={syncs.status} />
      )}
      {tab === 'settings' && description.data !== undefined && (
        <SettingsTab connector={connector} kind={description.data} onChanged={syncs.askNow} />
      )}
    </>
  );
}
