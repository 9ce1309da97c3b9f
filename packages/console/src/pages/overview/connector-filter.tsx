import { NativeSelect, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { labelOf } from '../../parts/words.ts';
import { changeQuery } from '../../routing/location.ts';
import { STATES, type ConnectorQuestion } from '../../service/connectors.ts';

const TYPING_MS = 250;

/** Narrows the list down; what is asked stands in the address, so that it can be kept and sent on. */
export function ConnectorFilter({ question }: { readonly question: ConnectorQuestion }) {
  const [text, setText] = useState(question.text);
  const [asked, setAsked] = useState(question.text);
  if (asked !== question.text) {
    setAsked(question.text);
    // By a link, or a button of the browser: not by what was typed here.
    if (question.text !== text.trim()) setText(question.text);
  }
  useEffect(() => {
    const timer = setTimeout(() => changeQuery({ q: text.trim() }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className="row" role="search">
      <TextInput
        className="grow"
        aria-label="Search connectors"
        placeholder="Name, account or external user"
        type="search"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <NativeSelect
        aria-label="State"
        value={question.status}
        onChange={(event) => changeQuery({ status: event.currentTarget.value })}
        data={[
          { value: '', label: 'Every state' },
          ...STATES.map((state) => ({ value: state, label: labelOf(state) })),
        ]}
      />
    </div>
  );
}
