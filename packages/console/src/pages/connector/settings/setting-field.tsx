import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { KindDescription } from '@patchbay/client';
import { labelOf } from '../../../parts/words.ts';

/** A setting of a connector, as the service describes it. */
export type Setting = KindDescription['config'][number];

interface Props {
  readonly setting: Setting;
  readonly value: unknown;
  readonly fault: string | undefined;
  readonly onChange: (value: unknown) => void;
}

/** A field for a setting, of the sort that its schema asks for. */
export function SettingField({ setting, value, fault, onChange }: Props) {
  const { name, doc, expects, required, schema } = setting;
  const { type, enum: words } = schema as { readonly type?: unknown; readonly enum?: unknown };
  if (type === 'boolean')
    return (
      <Checkbox
        label={labelOf(name)}
        description={doc}
        error={fault}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  if (Array.isArray(words))
    return (
      <NativeSelect
        label={labelOf(name)}
        description={doc}
        error={fault}
        withAsterisk={required}
        value={textOf(value)}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={words.map(String)}
      />
    );
  return (
    <TextInput
      label={labelOf(name)}
      description={`${doc} It must be ${expects}.`}
      error={fault}
      withAsterisk={required}
      inputMode={type === 'integer' ? 'numeric' : 'text'}
      value={textOf(value)}
      onChange={(event) => onChange(valueOf(event.currentTarget.value, type))}
    />
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What is no number stays a text, of which the service says what is wrong. */
function valueOf(text: string, type: unknown): unknown {
  return type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
