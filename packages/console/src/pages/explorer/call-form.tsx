import { Button } from '@mantine/core';
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import type { ActionDescription, ParamDescription } from '../../service/description.ts';
import type { FieldFault } from '../../service/failure.ts';
import { ParamField } from './param-field.tsx';
import { EMPTY_TEXT, type ParamTexts } from './param-values.ts';

interface Props {
  readonly action: ActionDescription;
  readonly texts: ParamTexts;
  /** Those of this form and those of the service, by `params.<name>`. */
  readonly faults: readonly FieldFault[];
  /** A call is under way: another one would give it up, and a write with it whose outcome nobody then learns. */
  readonly isBusy: boolean;
  readonly onChange: (texts: ParamTexts) => void;
  readonly onSubmit: () => void;
  /** Beside the button that sends. */
  readonly children?: ReactNode;
}

/** The params of an action: those that it needs, and the others below a fold. */
export function CallForm({ action, texts, faults, isBusy, onChange, onSubmit, children }: Props) {
  const isOpen = action.params.some(
    ({ name, required }) => !required && (hasText(texts, name) || faultsAt(faults, name) !== ''),
  );
  const optional = action.params.filter(({ required }) => !required);
  const needed = action.params.filter(({ required }) => required);
  const field = (param: ParamDescription) => (
    <ParamField
      key={param.name}
      param={param}
      text={texts[param.name] ?? ''}
      fault={faultsAt(faults, param.name) || undefined}
      takesLines={action.writes}
      onChange={(text) => onChange({ ...texts, [param.name]: text })}
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="form" onSubmit={submit} aria-label="Call" noValidate>
      {needed.map(field)}
      {optional.length > 0 && (
        <Fold isOpen={isOpen} title={`Optional fields (${optional.length})`}>
          {optional.map(field)}
        </Fold>
      )}
      <p className="dim">
        {action.params.length === 0
          ? 'It takes nothing.'
          : `An empty field is left out; ${EMPTY_TEXT} stands for an empty text.`}
      </p>
      <div className="row">
        <Button type="submit" disabled={isBusy}>
          {action.writes ? 'Review and send' : 'Run'}
        </Button>
        {children}
      </div>
    </form>
  );
}

interface FoldProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly children: ReactNode;
}

function Fold({ isOpen, title, children }: FoldProps) {
  const id = useId();
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen && !wasOpen) setWasOpen(true);
  return (
    <details open={wasOpen} aria-labelledby={id}>
      <summary id={id}>{title}</summary>
      <div className="form folded">{children}</div>
    </details>
  );
}

function hasText(texts: ParamTexts, name: string): boolean {
  return (texts[name] ?? '') !== '';
}

/** Of a param and of whatever is inside it: an inner fault says where. */
function faultsAt(faults: readonly FieldFault[], name: string): string {
  const own = `params.${name}`;
  return faults
    .filter(({ field }) => isWithin(field, own))
    .map(({ field, message }) =>
      field === own ? message : `${field.slice(own.length + 1)} ${message}`,
    )
    .join('; ');
}

/** Whether a fault is at a member, or somewhere below it: `params.query.filter` is in `params.query`. */
function isWithin(field: string, member: string): boolean {
  return field === member || field.startsWith(`${member}.`) || field.startsWith(`${member}[`);
}
