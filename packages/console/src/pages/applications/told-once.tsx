import { Button, TextInput } from '@mantine/core';
import { CopyText } from '../../parts/copy-text.tsx';

interface Props {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly onClose: () => void;
}

/** What an application logs in with, the one time that its secret can be seen; it goes with the dialog. */
export function ToldOnce({ clientId, clientSecret, onClose }: Props) {
  return (
    <div className="form">
      <p>The secret is shown this once. Store it where the application finds it.</p>
      <Told label="Client id" text={clientId} />
      <Told label="Client secret" text={clientSecret} />
      <div>
        <Button onClick={onClose}>I have stored it</Button>
      </div>
    </div>
  );
}

function Told({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="application-told">
      <TextInput
        label={label}
        readOnly
        value={text}
        classNames={{ input: 'mono' }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyText text={() => text} what={`the ${label.toLowerCase()}`} />
    </div>
  );
}
