import { Button, TextInput } from '@mantine/core';
import type { AllowedEntry, ApplicationInfo } from '@patchbay/client';
import { useState, type FormEvent } from 'react';
import { FailureNotice } from '../../../parts/failure-notice.tsx';
import { useFailure } from '../../../service/use-failure.ts';
import { useApplicationChange } from '../application-calls.ts';

interface Props {
  readonly application: ApplicationInfo;
  readonly member: 'allowed_origins' | 'allowed_return_urls';
  readonly title: string;
  readonly doc: string;
  /** What the field for another entry is called. */
  readonly addition: string;
  readonly example: string;
  /** As the service reads an entry. */
  readonly read: (text: string) => AllowedEntry;
  /** The entry that the console needs itself, and whether an empty list may allow it. */
  readonly own?: { readonly url: string; readonly isAllowedByNone: boolean };
}

/** A list of URLs, each of which is judged as the service judges it before it is sent. */
export function AllowedList(props: Props) {
  const { application, member, title, doc, addition, example, read, own } = props;
  const { mutate, error, isPending } = useApplicationChange(application.id);
  const failure = useFailure(error);
  const [text, setText] = useState('');
  const [isLeft, setIsLeft] = useState(false);
  const entries = application[member];
  const fault = isLeft && text !== '' ? faultOf(read(text.trim()), entries) : undefined;
  const save = (changed: readonly string[], onSuccess?: () => void) =>
    mutate({ [member]: changed }, onSuccess === undefined ? {} : { onSuccess });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsLeft(true);
    const entry = read(text.trim());
    if (!('value' in entry) || entries.includes(entry.value)) return;
    save([...entries, entry.value], () => {
      setText('');
      setIsLeft(false);
    });
  };
  const isOwnAllowed =
    own === undefined || (entries.length === 0 ? own.isAllowedByNone : entries.includes(own.url));
  return (
    <section className="application-section" aria-labelledby={member}>
      <h2 id={member}>{title}</h2>
      <p className="dim">{doc}</p>
      {entries.length === 0 ? (
        <p>
          None: loopback addresses are allowed, where the service listens on loopback only; else
          nothing is.
        </p>
      ) : (
        <ul className="plain-list">
          {entries.map((entry) => (
            <li key={entry} className="application-entry">
              <code>{entry}</code>
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`Remove ${entry}`}
                disabled={isPending}
                onClick={() => save(entries.filter((each) => each !== entry))}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form className="application-told" onSubmit={submit} noValidate>
        <TextInput
          label={addition}
          placeholder={example}
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          value={text}
          error={fault}
          onBlur={() => setIsLeft(true)}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={isPending} disabled={text.trim() === ''}>
          Add
        </Button>
      </form>
      {!isOwnAllowed && (
        <div className="row">
          <span className="dim">
            For consent from this console <code>{own.url}</code> has to be listed.
          </span>
          <Button
            size="compact-xs"
            variant="default"
            disabled={isPending}
            onClick={() => save([...entries, own.url])}
          >
            Add it
          </Button>
        </div>
      )}
      {failure !== undefined && <FailureNotice failure={failure} />}
    </section>
  );
}

function faultOf(entry: AllowedEntry, entries: readonly string[]): string | undefined {
  if (!('value' in entry)) return `must be ${entry.expects}`;
  return entries.includes(entry.value) ? 'is on the list already' : undefined;
}
