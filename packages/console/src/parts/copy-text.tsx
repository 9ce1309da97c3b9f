import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

interface Props {
  /** Made when it is asked for: it may be long. */
  readonly text: () => string;
  /** "the JSON": what is copied, for those who do not see it. */
  readonly what: string;
}

/** Copies a text. Browsers allow it on https and on this very machine only; elsewhere it says so. */
export function CopyText({ text, what }: Props) {
  const { copy, copied, error } = useClipboard();
  return (
    <span className="copy-text">
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`Copy ${what}`}
        onClick={() => copy(text())}
      >
        {copied ? 'Copied' : 'Copy'}
      </Button>
      {error !== null && (
        <span role="alert" className="dim">
          The browser does not allow it here: select the text and copy it.
        </span>
      )}
    </span>
  );
}
