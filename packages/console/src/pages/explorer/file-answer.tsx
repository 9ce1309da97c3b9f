import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { numberText } from '../../parts/words.ts';
import type { InlineFile } from '../../service/execute.ts';

/** A file that came with an answer: what it is, and a way to keep it. Nothing of it is shown, whatever it is. */
export function FileAnswer({ file }: { readonly file: InlineFile }) {
  const address = useObjectUrl(file.content_base64);
  return (
    <div className="row">
      <p>
        A file of {numberText(file.size)} bytes,{' '}
        <code>{file.content_type ?? 'of no stated type'}</code>
      </p>
      <Button component="a" size="compact-sm" variant="default" href={address} download="download">
        Save
      </Button>
    </div>
  );
}

/** As bytes of no type, so that no browser runs or shows what is in it. */
function useObjectUrl(base64: string): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const made = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [base64]);
  return address;
}
