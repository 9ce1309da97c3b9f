import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import type { ListedConnector } from '../../service/connectors.ts';
import { failureOf } from '../../service/failure.ts';
import { useService } from '../../service/service.tsx';

type Switch = Partial<Pick<ListedConnector, 'paused' | 'disabled'>>;

/** What is done with a connector every day. */
export function ConnectorActions({ connector }: { readonly connector: ListedConnector }) {
  const { id, paused, disabled } = connector;
  const service = useService();
  const queries = useQueryClient();
  const readAnew = () => queries.invalidateQueries({ queryKey: ['connector', id] });
  const sync = useMutation({
    mutationFn: () => service.connectors.sync(id),
    onSuccess: readAnew,
  });
  // The client's own `update` switches connectors off with the application's secret only.
  const change = useMutation({
    mutationFn: (body: Switch) =>
      service.request('PATCH', `/v1/integrations/connectors/${id}`, { body }),
    onSuccess: readAnew,
  });
  const error = sync.error ?? change.error;
  return (
    <>
      <Button size="compact-sm" loading={sync.isPending} onClick={() => sync.mutate()}>
        Sync now
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={change.isPending}
        onClick={() => change.mutate({ paused: !paused })}
        title="Copying stops; calls and searches go on."
      >
        {paused ? 'Resume copying' : 'Pause copying'}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={change.isPending}
        onClick={() => change.mutate({ disabled: !disabled })}
        title="Calls and searches are refused, and nothing is copied."
      >
        {disabled ? 'Enable' : 'Disable'}
      </Button>
      <LinkButton to={`/explore?connector=${id}`} variant="default">
        Explore
      </LinkButton>
      {error !== null && <FailureNotice failure={failureOf(error)} />}
    </>
  );
}
