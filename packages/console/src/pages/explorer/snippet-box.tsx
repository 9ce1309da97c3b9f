import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CopyText } from '../../parts/copy-text.tsx';
import type { Snippet } from './snippets.ts';

/** The same call for other places, to copy. */
export function SnippetBox({ snippets }: { readonly snippets: readonly Snippet[] }) {
  const [name, setName] = useState(snippets[0]?.name ?? '');
  const text = snippets.find((each) => each.name === name)?.text ?? '';
  return (
    <details className="snippets">
      <summary>The same call elsewhere</summary>
      <div className="form folded">
        <div className="row">
          <SegmentedControl
            size="xs"
            aria-label="Where"
            value={name}
            onChange={setName}
            data={snippets.map((each) => each.name)}
          />
          <CopyText text={() => text} what="the call" />
        </div>
        <pre className="code" tabIndex={0} aria-label={`The call as ${name}`}>
          {text}
        </pre>
      </div>
    </details>
  );
}
