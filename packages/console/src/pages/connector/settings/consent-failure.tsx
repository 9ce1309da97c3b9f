import { FailureNotice } from '../../../parts/failure-notice.tsx';
import { Link } from '../../../routing/link.tsx';
import { failureOf, faultAt } from '../../../service/failure.ts';
import { useActingFor } from '../../../service/service.tsx';
import { applicationAddress } from '../../applications/application-address.ts';
import { consentedUrl } from './consent-return.ts';

/** Why nobody is sent to the vendor; where the way back is not allowed, what to list, and where. */
export function ConsentFailure({ error }: { readonly error: Error }) {
  const applicationId = useActingFor();
  const failure = failureOf(error);
  const isWayBack = faultAt(failure, 'redirect_url') !== undefined;
  return (
    <FailureNotice failure={failure}>
      {isWayBack && applicationId !== null && (
        <p>
          The return URL is <code>{consentedUrl()}</code>. Add it in{' '}
          <Link to={applicationAddress(applicationId)}>the settings of the application</Link>.
        </p>
      )}
    </FailureNotice>
  );
}
