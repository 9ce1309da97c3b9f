import { Button, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Failure } from '../service/failure.ts';
import { FailureNotice } from './failure-notice.tsx';

interface Props {
  /** What has to be typed. */
  readonly name: string;
  /** What comes of it. */
  readonly about: string;
  /** What else there is to choose. */
  readonly children?: ReactNode;
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks for the name of what is to be deleted, so that nobody deletes something else by a slip. */
export function TypedConfirmation(props: Props) {
  const { name, about, children, isBusy, failure, onConfirm, onCancel } = props;
  const [typed, setTyped] = useState('');
  const wanted = typeable(name);
  const isTyped = typed !== '' && typeable(typed) === wanted;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isTyped) onConfirm();
  };
  return (
    <form className="form" onSubmit={submit}>
      <p>{about}</p>
      <TextInput
        label={`Type its name, ${wanted}`}
        autoComplete="off"
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {children}
      {failure !== undefined && <FailureNotice failure={failure} />}
      <div className="row">
        <Button type="submit" color="red" loading={isBusy} disabled={!isTyped}>
          Delete
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** What people can type of a name, which may be older than the rule that it can be read. */
function typeable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim() || 'nothing';
}
