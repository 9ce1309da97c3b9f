import { Button } from '@mantine/core';
import { addressOf } from '../../../routing/location.ts';
import { useConsent } from '../connector-changes.ts';
import { ConsentFailure } from './consent-failure.tsx';
import { consentAddress, consentedUrl, mayGoUnlisted } from './consent-return.ts';

/** Goes to the vendor, where whoever works here consents, and comes back to this page. */
export function AskForConsent({ connectorId }: { readonly connectorId: string }) {
  const { mutate, error, isPending } = useConsent(connectorId);
  const back = new URL(addressOf(consentAddress(connectorId)), location.origin).href;
  const go = () =>
    mutate(back, { onSuccess: ({ consent_url: consentUrl }) => location.assign(consentUrl) });
  return (
    <>
      <Button
        className="at-start"
        size="compact-md"
        variant="default"
        loading={isPending}
        onClick={go}
      >
        Consent at the vendor
      </Button>
      <p className="dim">
        You leave this page, and come back to it.{' '}
        {mayGoUnlisted() && 'Where the application lists return URLs, '}
        <code>{consentedUrl()}</code> has to be one of{' '}
        {mayGoUnlisted() ? 'them' : 'the return URLs of the application'}.
      </p>
      {error !== null && <ConsentFailure error={error} />}
    </>
  );
}
