import { NativeSelect, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useDelayed } from '../../parts/use-delayed.ts';
import { labelOf } from '../../parts/words.ts';
import { changeQuery } from '../../routing/location.ts';
import { STATES, type ConnectorQuestion } from '../../service/connectors.ts';

const TYPING_MS = 250;

/** Narrows the list down; what is asked stands in the address, so that it can be kept and sent on. */
export function ConnectorFilter({ question }: { readonly question: ConnectorQuestion }) {
  const [text, setText] = useState(question.text);
  const typed = useDelayed(text, TYPING_MS);
  useEffect(() => changeQuery({ q: typed.trim() }), [typed]);
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
