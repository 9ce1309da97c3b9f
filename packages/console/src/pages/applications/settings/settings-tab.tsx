import type { ApplicationInfo } from '@patchbay/client';
import { readAllowedOrigin, readAllowedReturnUrl } from '@patchbay/client';
import { useSignedIn } from '../../../session/use-session.tsx';
import { consentedUrl, mayGoUnlisted } from '../../connector/settings/consent-return.ts';
import { AllowedList } from './allowed-list.tsx';
import { DeleteApplication } from './delete-application.tsx';
import { NameForm } from './name-form.tsx';

/** What the application is called, and may do; its end. */
export function SettingsTab({ application }: { readonly application: ApplicationInfo }) {
  const { role } = useSignedIn();
  return (
    <>
      <NameForm application={application} />
      <AllowedList
        application={application}
        member="allowed_return_urls"
        title="Return URLs"
        doc="Where people may be sent back to, from consent and from the connect page: scheme, host, port and path as listed, any query."
        addition="Another return URL"
        example="https://app.example.com/connected"
        read={readAllowedReturnUrl}
        own={{ url: consentedUrl(), isAllowedByNone: mayGoUnlisted() }}
      />
      <AllowedList
        application={application}
        member="allowed_origins"
        title="Origins"
        doc="Of pages that may open the connect page, and show their logo there."
        addition="Another origin"
        example="https://app.example.com"
        read={readAllowedOrigin}
      />
      {role === 'operator' && <DeleteApplication application={application} />}
    </>
  );
}
