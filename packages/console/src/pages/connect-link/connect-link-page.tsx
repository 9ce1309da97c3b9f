import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { FormFailure } from '../../parts/form-failure.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useFocusOnFault } from '../../parts/values/use-focus-on-fault.ts';
import { faultAt } from '../../service/failure.ts';
import { useFailure } from '../../service/use-failure.ts';
import { useKinds } from '../../service/kinds.ts';
import { useService } from '../../service/service.tsx';
import { LinkMade } from './link-made.tsx';
import { makeConnectLink } from './make-connect-link.ts';

const FIELDS = ['external_user_id', 'user_label'];

/** Makes a link with which somebody else connects an account of theirs. */
export function ConnectLinkPage() {
  const service = useService();
  const { data: kinds = [] } = useKinds();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const making = useMutation({
    mutationFn: (request: Parameters<typeof makeConnectLink>[1]) =>
      makeConnectLink(service, request),
  });
  const failure = useFailure(making.error);
  useFocusOnFault(failure);
  if (making.data !== undefined)
    return <LinkMade link={making.data} onAnother={() => making.reset()} />;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    making.mutate({
      externalUserId: text('external_user_id'),
      userLabel: text('user_label'),
      kinds: chosen,
    });
  };
  return (
    <>
      <PageHead
        title="Connect link"
        about="For one person, who connects an account without handing you its credentials."
      />
      <form className="form form-page" onSubmit={submit}>
        <FormFailure failure={failure} fields={FIELDS} />
        <TextInput
          name="external_user_id"
          label="External user"
          description="Whose connector it will be: the name that your application has for its user."
          required
          error={faultAt(failure, 'external_user_id')}
        />
        <TextInput
          name="user_label"
          label="Name on the page"
          description="What the page calls that person."
          error={faultAt(failure, 'user_label')}
        />
        <Checkbox.Group
          label="Kinds to choose from"
          description="Every kind where none is ticked."
          value={[...chosen]}
          onChange={setChosen}
        >
          <div className="row">
            {kinds.map(({ kind, display_name: name }) => (
              <Checkbox key={kind} value={kind} label={name} />
            ))}
          </div>
        </Checkbox.Group>
        <div>
          <Button type="submit" loading={making.isPending}>
            Make the link
          </Button>
        </div>
      </form>
    </>
  );
}
