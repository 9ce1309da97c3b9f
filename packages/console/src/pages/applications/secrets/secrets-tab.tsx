import type { ApplicationInfo } from '@patchbay/client';
import { RevokeToken } from './revoke-token.tsx';
import { SecretList } from './secret-list.tsx';

/** What the application logs in with, and the end of a token that it has given. */
export function SecretsTab({ application }: { readonly application: ApplicationInfo }) {
  return (
    <>
      <SecretList application={application} />
      <RevokeToken />
    </>
  );
}
