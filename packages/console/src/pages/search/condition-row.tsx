import { CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import { newCondition, newGroup, type ConditionNode, type ElementNode } from './filter-tree.ts';
import { operandOf, textOfOperand } from './operand-text.ts';
import { OPERATOR_LABELS, operatorsFor, type OfferedOperator } from './operators.ts';
import { PathInput } from './path-input.tsx';
import { pathOfText, textOfPath, type SearchPath } from './search-paths.ts';

interface Props {
  readonly node: ConditionNode | ElementNode;
  readonly paths: readonly SearchPath[];
  /** What the service found wrong with it. */
  readonly fault: string | undefined;
  readonly onChange: (node: ConditionNode | ElementNode) => void;
  readonly onRemove: () => void;
}

/** One condition: where, how, and with what. What an element is asked for stands below it. */
export function ConditionRow({ node, paths, fault, onChange, onRemove }: Props) {
  const faultId = useId();
  const isFaulty = fault !== undefined;
  const text = textOfPath(node.path);
  const type = paths.find((path) => path.text === text)?.type;
  const offered = operatorsFor(type);
  const operator = operatorOf(node);
  const operators = offered.includes(operator) ? offered : [operator, ...offered];
  const choosePath = (chosen: string) => {
    const moved = { ...node, path: pathOfText(chosen) };
    const fitting = operatorsFor(paths.find((path) => path.text === chosen)?.type);
    const [first = operator] = fitting;
    onChange(fitting.includes(operator) ? moved : withOperator(moved, first));
  };
  return (
    <div
      className="condition"
      role="group"
      aria-label={`Condition on ${text || 'a field'}`}
      aria-describedby={isFaulty ? faultId : undefined}
    >
      <PathInput
        label="Field"
        text={text}
        paths={paths}
        isFaulty={isFaulty}
        onChange={choosePath}
      />
      <NativeSelect
        aria-label="Operator"
        size="xs"
        value={operator}
        data={operators.map((each) => ({ value: each, label: OPERATOR_LABELS[each] }))}
        // Its values are those operators.
        onChange={(event) =>
          onChange(withOperator(node, event.currentTarget.value as OfferedOperator))
        }
      />
      {node.as === 'condition' && node.value !== null && (
        <OperandInput node={node} type={type} isFaulty={isFaulty} onChange={onChange} />
      )}
      <CloseButton
        size="sm"
        aria-label={`Remove the condition on ${text || 'a field'}`}
        onClick={onRemove}
      />
      {isFaulty && (
        <p id={faultId} className="condition-fault">
          {fault}
        </p>
      )}
    </div>
  );
}

interface OperandProps {
  readonly node: ConditionNode;
  readonly type: string | undefined;
  readonly isFaulty: boolean;
  readonly onChange: (node: ConditionNode) => void;
}

/** What was typed is kept as it is for as long as it says what the condition has: `1.` on the way to `1.5`. */
function OperandInput({ node, type, isFaulty, onChange }: OperandProps) {
  const { operator, value } = node;
  const [draft, setDraft] = useState<{ readonly text: string; readonly value: unknown }>();
  const text =
    draft?.value === value && draft !== undefined
      ? draft.text
      : textOfOperand(value, operator, type);
  const change = (typed: string) => {
    const read = operandOf(typed, operator, type);
    setDraft({ text: typed, value: read });
    onChange({ ...node, value: read });
  };
  if (type === 'boolean' && (operator === 'eq' || operator === 'neq'))
    return (
      <NativeSelect
        aria-label="Value"
        size="xs"
        error={isFaulty}
        value={text}
        data={text === 'true' || text === 'false' ? ['true', 'false'] : [text, 'true', 'false']}
        onChange={(event) => change(event.currentTarget.value)}
      />
    );
  return (
    <TextInput
      aria-label="Value"
      placeholder={operator === 'in' ? 'one, two, three' : 'Value'}
      className="condition-value"
      size="xs"
      error={isFaulty}
      autoComplete="off"
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function operatorOf(node: ConditionNode | ElementNode): OfferedOperator {
  if (node.as === 'element') return 'any';
  if (node.value === null && node.operator === 'eq') return 'is_null';
  if (node.value === null && node.operator === 'neq') return 'is_not_null';
  return node.operator;
}

/** The same place asked otherwise; what it is compared with stays where that makes sense. */
function withOperator(
  node: ConditionNode | ElementNode,
  operator: OfferedOperator,
): ConditionNode | ElementNode {
  const { id, path } = node;
  switch (operator) {
    case 'any':
      if (node.as === 'element') return node;
      return { as: 'element', id, path, group: newGroup('all', [newCondition('', 'eq', '')]) };
    case 'is_null':
      return { as: 'condition', id, path, operator: 'eq', value: null };
    case 'is_not_null':
      return { as: 'condition', id, path, operator: 'neq', value: null };
    default: {
      const value = node.as === 'element' ? null : node.value;
      return { as: 'condition', id, path, operator, value: operandFor(operator, value) };
    }
  }
}

/** What an operator is given of what another one had. */
function operandFor(operator: OfferedOperator, value: unknown): unknown {
  const values: readonly unknown[] = Array.isArray(value) ? value : value === null ? [] : [value];
  return operator === 'in' ? values.filter((each) => each !== '') : (values[0] ?? '');
}
