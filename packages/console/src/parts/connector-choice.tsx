import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Popover.css';
import './connector-choice.css';
import { Select } from '@mantine/core';
import type { ConnectorInfo } from '@patchbay/client';
import { useDeferredValue, useState } from 'react';
import { useConnectorChoices, useConnectorInfo } from '../service/connector-choices.ts';
import { failureOf } from '../service/failure.ts';

interface Props {
  /** Id of the connector that is chosen; empty for none. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** More choices than anybody reads: what is typed narrows them down. */
const MOST_SHOWN = 50;

/** Chooses a connector by its name, kind or external user. */
export function ConnectorChoice({ value, onChange }: Props) {
  const [text, setText] = useState('');
  const chosen = useConnectorInfo(value).data;
  // What stands there after a choice is no question.
  const isChoice = chosen !== undefined && text === labelOfConnector(chosen);
  const { data, error, isPending } = useConnectorChoices(useDeferredValue(isChoice ? '' : text));
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
      onChange={(id) => id !== null && onChange(id)}
      onSearchChange={setText}
      placeholder={isPending ? 'Loading …' : 'Choose a connector'}
      nothingFoundMessage={isPending ? 'Loading …' : 'No connector is like that.'}
      error={error === null ? undefined : failureOf(error).message}
    />
  );
}

function labelOfConnector(connector: ConnectorInfo): string {
  const { name, external_user_id: user, summarized_source_template: kind } = connector;
  return `${name} · ${kind.name} · ${user}`;
}
