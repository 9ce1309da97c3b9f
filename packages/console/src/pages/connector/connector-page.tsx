import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { TabLinks } from '../../parts/tab-links.tsx';
import { useConnector, type ListedConnector } from '../../service/connectors.ts';
import { failureOf } from '../../service/failure.ts';
import type { PageProps } from '../../shell/pages.ts';
import { ConnectorActions } from './connector-actions.tsx';
import { RecordsTab } from './records-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { SyncsTab } from './syncs-tab.tsx';

const TABS = [
  { name: '', label: 'Syncs' },
  { name: 'records', label: 'Records' },
  { name: 'settings', label: 'Settings' },
] as const;

/** One connector: what it is doing, what it has, and what can be changed. */
export function ConnectorPage({ params }: PageProps) {
  const id = params['id'] ?? '';
  const tab = params['tab'] ?? '';
  const { data: connector, error, refetch } = useConnector(id);
  if (connector === undefined)
    return error === null ? (
      <Loading what="the connector" />
    ) : (
      <>
        <PageHead title="Connector" />
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      </>
    );
  return (
    <>
      <PageHead title={connector.name} about={<About connector={connector} />}>
        <ConnectorActions connector={connector} />
      </PageHead>
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      )}
      <Warnings connector={connector} />
      <TabLinks
        label="Parts of the connector"
        tabs={TABS.map(({ name, label }) => ({
          label,
          to: name === '' ? `/connectors/${id}` : `/connectors/${id}/${name}`,
          isHere: tab === name,
        }))}
      />
      {tab === '' && <SyncsTab connector={connector} />}
      {tab === 'records' && <RecordsTab id={id} />}
      {tab === 'settings' && <SettingsTab connector={connector} />}
    </>
  );
}

function About({ connector }: { readonly connector: ListedConnector }) {
  const {
    status,
    account,
    external_user_id: user,
    summarized_source_template: { name: kindName },
  } = connector;
  return (
    <>
      <StateBadge state={status} /> · {kindName} · external user {user}
      {account !== null && ` · account ${account.name ?? account.id}`}
    </>
  );
}

function Warnings({ connector }: { readonly connector: ListedConnector }) {
  const { warnings, status, last_error: lastError } = connector;
  return (
    <>
      {status === 'reauth_required' && (
        <Notice tone="error" title="The upstream refused the credentials">
          <p>Calls fail until there are new ones: give them under Settings.</p>
        </Notice>
      )}
      {lastError !== undefined && lastError !== null && (
        <Notice tone="warning" title={lastError.message} />
      )}
      {warnings.map(({ code, field, message }) => (
        <Notice key={`${code} ${field ?? ''}`} tone="warning" title={message} />
      ))}
    </>
  );
}
