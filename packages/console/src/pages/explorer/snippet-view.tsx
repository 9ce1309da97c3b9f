import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CopyText } from '../../parts/copy-text.tsx';
import type { Call } from './run-call.ts';
import { SNIPPETS, type SnippetName } from './snippets.ts';

const NAMES = Object.keys(SNIPPETS) as readonly SnippetName[];

/** The call as the form says it now, to be taken elsewhere. */
export function Snippets({ call }: { readonly call: Call }) {
  const [name, setName] = useState<SnippetName>('curl');
  const text = SNIPPETS[name](call, location.origin);
  return (
    <details className="columns">
      <summary>The same call elsewhere</summary>
      <div className="form">
        <div className="row">
          <SegmentedControl<SnippetName>
            size="xs"
            aria-label="As"
            value={name}
            onChange={setName}
            data={[...NAMES]}
          />
          <CopyText key={text} text={text} what={name} />
        </div>
        <section className="snippet mono" aria-label={name} tabIndex={0}>
          <pre>{text}</pre>
        </section>
      </div>
    </details>
  );
}
