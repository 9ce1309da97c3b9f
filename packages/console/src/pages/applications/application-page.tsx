import './applications.css';
import { isConnectorError, type ApplicationInfo } from '@patchbay/client';
import { useEffect } from 'react';
import { CopyText } from '../../parts/copy-text.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { dateTime } from '../../parts/words.ts';
import { Link } from '../../routing/link.tsx';
import { usePlace } from '../../routing/location.ts';
import { failureOf } from '../../service/failure.ts';
import { AsSession } from '../../service/service.tsx';
import type { PageProps } from '../../shell/pages.ts';
import { applicationAddress, isTab, tabIn, TABS, type Tab } from './application-address.ts';
import { useApplication } from './application-calls.ts';
import { SecretsTab } from './secrets/secrets-tab.tsx';
import { SessionsTab } from './sessions/sessions-tab.tsx';
import { DeleteApplication } from './settings/delete-application.tsx';
import { SettingsTab } from './settings/settings-tab.tsx';

/** One application: as the operator sees any, and an application itself. */
export function ApplicationPage({ params }: PageProps) {
  return (
    <AsSession>
      <ReadApplication id={params['id'] ?? ''} />
    </AsSession>
  );
}

function ReadApplication({ id }: { readonly id: string }) {
  const { data, error, refetch } = useApplication(id);
  if (isConnectorError(error, 'application_not_found')) return <NoApplication />;
  if (data === undefined && error === null) return <Loading what="the application" />;
  if (data === undefined)
    return (
      <>
        <h1>The application cannot be read</h1>
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      </>
    );
  return (
    <>
      <Head application={data} />
      {error !== null && <FailureNotice failure={failureOf(error)} />}
      {data.revoked_at === null ? (
        <Parts application={data} />
      ) : (
        <Revoked application={data} since={data.revoked_at} />
      )}
    </>
  );
}

function NoApplication() {
  return (
    <>
      <h1>There is no such application</h1>
      <p>
        It has been deleted, or you cannot see it. <Link to="/applications">Applications</Link>
      </p>
    </>
  );
}

interface Props {
  readonly application: ApplicationInfo;
}

function Head({ application: { name, client_id: clientId, created_at: createdAt } }: Props) {
  useEffect(() => {
    document.title = `${name} · Patchbay`;
  }, [name]);
  const about = (
    <span className="row">
      <span>
        Client id <code>{clientId}</code>
      </span>
      <CopyText text={() => clientId} what="the client id" />
      <span>made {dateTime(createdAt)}</span>
    </span>
  );
  return <PageHead title={name} about={about} />;
}

function Parts({ application }: Props) {
  const { query } = usePlace();
  const tab = tabIn(query);
  return (
    <>
      <Tabs id={application.id} tab={tab} />
      {tab === 'settings' && <SettingsTab application={application} />}
      {tab === 'secrets' && <SecretsTab application={application} />}
      {tab === 'sessions' && <SessionsTab applicationId={application.id} />}
    </>
  );
}

/** Links, so that each part can be kept, opened elsewhere and gone back to. */
function Tabs({ id, tab }: { readonly id: string; readonly tab: Tab }) {
  const names = Object.keys(TABS).filter(isTab);
  return (
    <nav className="tabs" aria-label="Parts of the application">
      {names.map((name) => (
        <Link
          key={name}
          className="tab application-nowrap"
          to={applicationAddress(id, name)}
          aria-current={name === tab ? 'page' : undefined}
        >
          {TABS[name]}
        </Link>
      ))}
    </nav>
  );
}

function Revoked({ application, since }: Props & { readonly since: string }) {
  return (
    <>
      <Notice tone="warning" title={`Revoked since ${dateTime(since)}`}>
        <p>Nobody gets in with its secrets or tokens any more, and nothing brings it back.</p>
      </Notice>
      <DeleteApplication application={application} />
    </>
  );
}
