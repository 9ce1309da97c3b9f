import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { goTo } from '../../routing/location.ts';
import type { ListedConnector } from '../../service/connectors.ts';
import { failureOf } from '../../service/failure.ts';
import { useService } from '../../service/service.tsx';

/** Deletes a connector, once its name has been typed: nothing brings it back. */
export function DeleteConnector({ connector }: { readonly connector: ListedConnector }) {
  const { id, name } = connector;
  const [typed, setTyped] = useState('');
  const service = useService();
  const queries = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => service.connectors.delete(id),
    onSuccess: () => {
      goTo('/');
      queries.removeQueries({ queryKey: ['connector', id] });
      return queries.invalidateQueries({ queryKey: ['connectors'] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (typed === name) deletion.mutate();
  };
  return (
    <form className="form" onSubmit={submit}>
      <h2>Delete</h2>
      <p className="dim">
        Its credentials are destroyed at once, and revoked upstream where that can be done; what was
        copied is deleted. Nothing brings it back.
      </p>
      {deletion.error !== null && <FailureNotice failure={failureOf(deletion.error)} />}
      <TextInput
        label={`Type ${name} to delete it`}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" color="red.9" disabled={typed !== name} loading={deletion.isPending}>
          Delete the connector
        </Button>
      </div>
    </form>
  );
}
