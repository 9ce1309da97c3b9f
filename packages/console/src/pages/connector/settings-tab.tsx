import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { useDescription, type ListedConnector } from '../../service/connectors.ts';
import { failureOf } from '../../service/failure.ts';
import { CheckCredentials } from './check-credentials.tsx';
import { CredentialsForm } from './credentials-form.tsx';
import { DeleteConnector } from './delete-connector.tsx';
import { SettingsForm } from './settings-form.tsx';

/** What can be changed of a connector, and its end. */
export function SettingsTab({ connector }: { readonly connector: ListedConnector }) {
  const { data: kind, error, refetch } = useDescription(connector.id);
  if (error !== null)
    return <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />;
  if (kind === undefined) return <Loading what="the settings" />;
  return (
    <div className="form-page settings">
      <SettingsForm connector={connector} kind={kind} />
      <CheckCredentials id={connector.id} />
      <CredentialsForm connector={connector} kind={kind} />
      <DeleteConnector connector={connector} />
    </div>
  );
}
