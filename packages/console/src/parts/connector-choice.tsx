import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import './connector-choice.css';
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ConnectorInfo } from '@patchbay/client';
import { useState } from 'react';
import { useConnectorChoices } from '../service/connector-choices.ts';
import { useConnector } from '../service/connectors.ts';
import { failureOf } from '../service/failure.ts';
import { plainText } from './plain-text.ts';

interface Props {
  /** Id of the connector that is chosen; empty for none. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** More choices than anybody reads: what is typed narrows them down. */
const MOST_SHOWN = 50;
/** Nobody who types wants an answer for each letter. */
const PAUSE_MS = 150;

/** Chooses a connector by its name, kind or external user. */
export function ConnectorChoice({ value, onChange }: Props) {
  const [text, setText] = useState('');
  const [label, setLabel] = useState<string>();
  const chosen = useConnector(value).data;
  // What stands there after a choice is no question.
  const labels = [label, chosen && labelOfConnector(chosen)];
  const [question] = useDebouncedValue(labels.includes(text) ? '' : text, PAUSE_MS);
  const { data, error, isPending } = useConnectorChoices(question);
  const listed = data?.data ?? [];
  const isListed = chosen === undefined || listed.some(({ id }) => id === chosen.id);
  const choices = isListed ? listed : [chosen, ...listed];
  return (
    <Select
      label="Connector"
      className="grow"
      searchable
      allowDeselect={false}
      limit={MOST_SHOWN}
      data={choices.map((each) => ({ value: each.id, label: labelOfConnector(each) }))}
      value={value === '' ? null : value}
      onChange={(id, option) => {
        if (id === null || option === null) return;
        setLabel(option.label);
        onChange(id);
      }}
      onSearchChange={setText}
      placeholder={isPending ? 'Loading …' : 'Choose a connector'}
      nothingFoundMessage={isPending ? 'Loading …' : 'No connector is like that.'}
      error={error === null ? undefined : failureOf(error).message}
    />
  );
}

function labelOfConnector(connector: ConnectorInfo): string {
  const { name, external_user_id: user, summarized_source_template: kind } = connector;
  return plainText(`${name} · ${kind.name} · ${user}`);
}
