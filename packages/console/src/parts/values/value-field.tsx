import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/PasswordInput.css';
import { NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { labelOf } from '../words.ts';
import type { FieldSpec } from './field-spec.ts';
import { typesOf } from './read-value.ts';

interface Props {
  readonly spec: FieldSpec;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onLeave: () => void;
}

/** The input that fits a field's type; what it says of itself comes from the definition. */
export function ValueField({ spec, text, fault, onChange, onLeave }: Props) {
  const { name, doc, required, expects, schema, path, isSecret = false } = spec;
  const shared = {
    label: labelOf(name),
    description: doc,
    error: fault,
    required,
    name: path,
    value: text,
    onBlur: onLeave,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(event.currentTarget.value),
  };
  const types = typesOf(schema);
  const isNumber = types.includes('integer') || types.includes('number');
  if (isSecret) return <PasswordInput {...shared} autoComplete="off" />;
  const choices = types.includes('boolean') ? [true, false] : schema.enum;
  if (choices !== undefined)
    return <NativeSelect {...shared} data={optionsOf(choices, required)} />;
  if (types.includes('object') || types.includes('array'))
    return (
      <Textarea
        {...shared}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        placeholder={types.includes('array') ? '[]' : '{}'}
        classNames={{ input: 'mono' }}
      />
    );
  const example = schema.examples?.[0];
  return (
    <TextInput
      {...shared}
      description={isNumber ? `${doc} It must be ${expects}.` : doc}
      autoComplete="off"
      inputMode={isNumber ? 'numeric' : 'text'}
      placeholder={typeof example === 'string' ? `such as ${example}` : undefined}
    />
  );
}

function optionsOf(choices: readonly unknown[], required: boolean) {
  const none = { value: '', label: required ? 'Choose …' : 'Not said' };
  return [
    none,
    ...choices.map((choice) => {
      const text = String(choice);
      const words = choice === true ? 'Yes' : choice === false ? 'No' : text;
      return { value: text, label: words };
    }),
  ];
}
