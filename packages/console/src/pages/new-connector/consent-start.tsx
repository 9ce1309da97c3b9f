import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Values } from '../../parts/values/use-values.ts';
import { useService } from '../../service/service.tsx';
import { ConsentFailure } from '../connector/settings/consent-failure.tsx';
import type { ConnectorFields } from './connector-fields.ts';
import { consentUrl, type ConnectorDraft } from './create-connector.ts';

interface Props {
  readonly draft: ConnectorDraft;
  readonly fields: ConnectorFields;
  readonly values: Values;
}

/** The way to credentials that nobody has to hand over: consent at the vendor, in this browser. */
export function ConsentStart({ draft, fields, values }: Props) {
  const service = useService();
  const start = useMutation({
    mutationFn: () => consentUrl(service, draft),
    onSuccess: (url) => location.assign(url),
  });
  const begin = () => {
    if (values.check([...fields.own, ...fields.config])) start.mutate();
  };
  return (
    <>
      {start.error !== null && <ConsentFailure error={start.error} />}
      <div className="row">
        <Button variant="default" loading={start.isPending} onClick={begin}>
          Ask for consent instead
        </Button>
        <span className="dim">You sign in at the vendor, and come back here connected.</span>
      </div>
    </>
  );
}
