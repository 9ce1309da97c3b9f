import { useEffect } from 'react';
import { Loading } from '../../../parts/loading.tsx';
import { goTo, usePlace } from '../../../routing/location.ts';
import { consentReturn } from './consent-return.ts';

/** Where people come back to from a vendor: the settings of the connector, or the page of new ones, say how it went. */
export function ConsentedPage() {
  const { query } = usePlace();
  const path = consentReturn(query);
  useEffect(() => goTo(path, { replace: true }), [path]);
  return <Loading what="the outcome" />;
}
