import type { ConnectorInfo, KindDescription } from '@patchbay/client';
import { GivenName } from '../../../parts/given-name.tsx';
import { CheckCredentials } from './check-credentials.tsx';
import { ConsentOutcome } from './consent-outcome.tsx';
import { CredentialsForm } from './credentials-form.tsx';
import { DeleteConnector } from './delete-connector.tsx';
import { SettingsForm } from './settings-form.tsx';

interface Props {
  readonly connector: ConnectorInfo;
  readonly kind: KindDescription;
  /** Something has been changed that a sync follows. */
  readonly onChanged: () => void;
}

/** What the connector works with: credentials, settings, its name; and its end. */
export function SettingsTab({ connector, kind, onChanged }: Props) {
  const method = kind.auth_methods.find(({ name }) => name === connector.auth_method);
  return (
    <>
      <ConsentOutcome />
      <section className="connector-section" aria-labelledby="credentials">
        <h2 id="credentials">Credentials</h2>
        <p>
          {method?.label ?? connector.auth_method}
          {connector.account !== null && (
            <>
              , of <GivenName name={connector.account.name ?? connector.account.id} /> (
              <GivenName name={connector.account.principal} />)
            </>
          )}
        </p>
        <CheckCredentials connectorId={connector.id} />
        <CredentialsForm connector={connector} methods={kind.auth_methods} onChanged={onChanged} />
      </section>
      <SettingsForm connector={connector} kind={kind} onChanged={onChanged} />
      <DeleteConnector connector={connector} method={method} />
    </>
  );
}
