import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useId } from 'react';
import type { ParamDescription } from '../../service/description.ts';
import { inputOf } from './param-values.ts';

interface Props {
  readonly param: ParamDescription;
  readonly text: string;
  readonly fault: string | undefined;
  /** Texts of writes may have several lines. */
  readonly takesLines: boolean;
  readonly onChange: (text: string) => void;
}

/** One param, asked for as its schema says, with its sentence. */
export function ParamField({ param, text, fault, takesLines, onChange }: Props) {
  const input = inputOf(param);
  const shared = {
    label: param.name,
    description: `${param.doc} Takes ${param.expects}.`,
    // What is missing is told by the form, all at once and in the same words as everything else.
    withAsterisk: param.required,
    'aria-required': param.required,
    value: text,
    error: fault,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(event.currentTarget.value),
  };
  switch (input.as) {
    case 'choice':
      return <NativeSelect {...shared} data={['', ...input.values]} />;
    case 'boolean':
      return <NativeSelect {...shared} data={['', 'true', 'false']} />;
    case 'json':
      return (
        <Textarea
          {...shared}
          className="code-input"
          rows={4}
          spellCheck={false}
          placeholder="JSON"
        />
      );
    case 'integer':
    case 'number':
      return <TextInput {...shared} inputMode="decimal" autoComplete="off" />;
    case 'text':
      if (takesLines && input.isPlain) return <Textarea {...shared} rows={2} />;
      return <TextField {...shared} examples={input.examples} />;
  }
}

interface TextFieldProps extends React.ComponentProps<typeof TextInput> {
  readonly examples: readonly string[];
}

function TextField({ examples, ...rest }: TextFieldProps) {
  const id = useId();
  if (examples.length === 0) return <TextInput {...rest} autoComplete="off" />;
  return (
    <>
      <TextInput {...rest} autoComplete="off" list={id} />
      <datalist id={id}>
        {examples.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}
