import { Button } from '@mantine/core';
import { useState } from 'react';

interface Props {
  readonly text: string;
  /** What is copied: "the link". */
  readonly what: string;
}

type Outcome = 'none' | 'copied' | 'failed';

/** Copies a text, and says whether that worked: browsers may refuse it. */
export function CopyText({ text, what }: Props) {
  const [outcome, setOutcome] = useState<Outcome>('none');
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  };
  const words = {
    none: `Copy ${what}`,
    copied: 'Copied',
    failed: 'The browser refuses to copy: select and copy it yourself',
  };
  return (
    <Button variant="default" size="compact-sm" onClick={copy} aria-live="polite">
      {words[outcome]}
    </Button>
  );
}
