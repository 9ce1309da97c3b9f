import { Button, TextInput } from '@mantine/core';
import type { ConnectorChange, ConnectorInfo, KindDescription } from '@patchbay/client';
import { useState, type FormEvent } from 'react';
import { useConnectorChange } from '../connector-changes.ts';
import { failureOf, faultAt } from '../../../service/failure.ts';
import { useFocusOnFault } from '../../../parts/values/use-focus-on-fault.ts';
import { FormFailure } from '../../../parts/form-failure.tsx';
import { SettingField, type Setting } from './setting-field.tsx';

interface Props {
  readonly connector: ConnectorInfo;
  readonly kind: KindDescription;
  readonly onChanged: () => void;
}

/** The members of a connector that have settings. */
const GROUPS = ['config', 'replication_config'] as const;
type Group = (typeof GROUPS)[number];
type Values = Readonly<Record<string, unknown>>;

/** What has been entered, and differs from what is saved. */
interface Draft {
  readonly name?: string;
  readonly config: Values;
  readonly replication_config: Values;
}

const NOTHING: Draft = { config: {}, replication_config: {} };

/** Name and settings; only what has been changed is sent. */
export function SettingsForm({ connector, kind, onChanged }: Props) {
  const [draft, setDraft] = useState(NOTHING);
  const { mutate, error, isPending, isSuccess } = useConnectorChange(connector.id);
  const failure = error === null ? undefined : failureOf(error);
  useFocusOnFault(error);
  const settings: Readonly<Record<Group, readonly Setting[]>> = {
    config: kind.config,
    replication_config: kind.replication_config.fields,
  };
  const change = changeOf(draft);
  const isChanged = Object.keys(change).length > 0;
  const enter = (group: Group, name: string, value: unknown) =>
    setDraft({ ...draft, [group]: { ...draft[group], [name]: value } });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(change, {
      onSuccess: () => {
        setDraft((now) => enteredSince(draft, now));
        onChanged();
      },
    });
  };
  const fields = GROUPS.flatMap((group) => settings[group].map(({ name }) => `${group}.${name}`));
  return (
    <section className="connector-section" aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <form className="connector-form form" onSubmit={submit}>
        <TextInput
          label="Name"
          required
          value={draft.name ?? connector.name}
          error={faultAt(failure, 'name')}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        />
        {GROUPS.map((group) =>
          settings[group].map((setting) => (
            <SettingField
              key={`${group}.${setting.name}`}
              setting={setting}
              value={
                draft[group][setting.name] ?? connector[group]?.[setting.name] ?? setting.default
              }
              fault={faultAt(failure, `${group}.${setting.name}`)}
              onChange={(value) => enter(group, setting.name, value)}
            />
          )),
        )}
        <FormFailure failure={failure} fields={['name', ...fields]} />
        <div className="row">
          <Button type="submit" size="compact-md" loading={isPending} disabled={!isChanged}>
            Save
          </Button>
          <span className="dim" role="status">
            {isSuccess && !isChanged ? 'Saved. ' : ''}A sync follows where what is copied changes.
          </span>
        </div>
      </form>
    </section>
  );
}

/** What is in a draft that has not been sent. */
function enteredSince(sent: Draft, now: Draft): Draft {
  const since = (group: Group): Values =>
    Object.fromEntries(
      Object.entries(now[group]).filter(([name, value]) => sent[group][name] !== value),
    );
  return {
    ...(now.name === undefined || now.name === sent.name ? {} : { name: now.name }),
    config: since('config'),
    replication_config: since('replication_config'),
  };
}

function changeOf({ name, ...groups }: Draft): ConnectorChange {
  const changed = GROUPS.filter((group) => Object.keys(groups[group]).length > 0);
  return {
    ...(name === undefined ? {} : { name }),
    ...Object.fromEntries(changed.map((group) => [group, groups[group]])),
  };
}
