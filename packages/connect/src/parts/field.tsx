import { useState } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { Doc } from './doc.tsx';

/** One value to be entered. */
export interface FieldSpec {
  /** As the service names it in faults: `credentials.api_token`. */
  readonly path: string;
  readonly label: string;
  readonly doc: string;
  readonly required: boolean;
  readonly secret: boolean;
  /** Where only these are possible. */
  readonly allowed: readonly string[] | null;
}

/** A labelled input with its explanation, and what is wrong with its value. */
export function Field({
  spec,
  value,
  fault,
  onInput,
}: {
  readonly spec: FieldSpec;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onInput: (value: string) => void;
}) {
  const id = fieldId(spec.path);
  const common = {
    id,
    value,
    'aria-describedby': `${id}-doc${fault === undefined ? '' : ` ${id}-fault`}`,
    'aria-invalid': fault !== undefined,
    'aria-required': spec.required,
  };
  return (
    <div class="field">
      <label for={id}>
        {spec.label}
        {!spec.required && <span class="aside"> ({texts.optional})</span>}
      </label>
      <Doc text={spec.doc} id={`${id}-doc`} />
      {spec.allowed !== null ? (
        <select {...common} onChange={({ currentTarget }) => onInput(currentTarget.value)}>
          {value === '' && <option value="">{texts.notChosen}</option>}
          {spec.allowed.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      ) : (
        <TextInput common={common} spec={spec} onInput={onInput} />
      )}
      {fault !== undefined && (
        <span class="fault" id={`${id}-fault`}>
          {fault}
        </span>
      )}
    </div>
  );
}

/** The id of the input for a value. */
export function fieldId(path: string): string {
  return `field-${path.replaceAll('.', '-')}`;
}

function TextInput({
  common,
  spec: { secret, label },
  onInput,
}: {
  readonly common: { readonly id: string; readonly value: string };
  readonly spec: FieldSpec;
  readonly onInput: (value: string) => void;
}) {
  const [isShown, setShown] = useState(false);
  const attributes = {
    ...common,
    autocomplete: 'off',
    autocapitalize: 'none',
    // Spelt as no property is: of that, a boolean, every text is true.
    autoCorrect: 'off',
    spellcheck: false,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      onInput(currentTarget.value),
  } as const;
  const input =
    secret && !isShown ? (
      <input {...attributes} type="password" />
    ) : (
      <input {...attributes} type="text" />
    );
  if (!secret) return input;
  return (
    <span class="secret">
      {input}
      <button
        type="button"
        class="quiet"
        aria-label={isShown ? texts.hideValue(label) : texts.showValue(label)}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? texts.hide : texts.show}
      </button>
    </span>
  );
}
