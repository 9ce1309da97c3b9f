import { Button, CloseButton, NativeSelect } from '@mantine/core';
import type { EntityDescription } from '../../service/description.ts';
import { ConditionRow } from './condition-row.tsx';
import {
  JOINS,
  newCondition,
  newGroup,
  type FilterNode,
  type GroupNode,
  type Join,
} from './filter-tree.ts';
import { elementPathsOf, textOfPath, type SearchPath } from './search-paths.ts';

interface Props {
  readonly group: GroupNode;
  readonly entity: EntityDescription;
  /** Those that conditions may name here. */
  readonly paths: readonly SearchPath[];
  /** What the service found wrong with a part of the filter. */
  readonly faultOf: (node: FilterNode) => string | undefined;
  readonly onChange: (group: GroupNode) => void;
  /** Absent of the outermost group. */
  readonly onRemove?: () => void;
}

const JOIN_LABELS: Readonly<Record<Join, string>> = {
  all: 'all of',
  any: 'any of',
  none: 'none of',
};

const EMPTY: Readonly<Record<Join, string>> = {
  all: 'No conditions: everything matches.',
  any: 'No conditions: nothing matches.',
  none: 'No conditions: everything matches.',
};

/** Conditions and further groups, of which all, any or none have to hold. */
export function FilterGroup({ group, entity, paths, faultOf, onChange, onRemove }: Props) {
  const { join, nodes } = group;
  const fault = faultOf(group);
  // Without conditions `any of` finds nothing, which nobody means who takes the last one away.
  const withNodes = (changed: readonly FilterNode[]) =>
    onChange({ ...group, join: changed.length === 0 ? 'all' : join, nodes: changed });
  return (
    <fieldset className="filter-group">
      <legend className="sr-only">Conditions of which {JOIN_LABELS[join]} must hold</legend>
      <div className="row">
        <NativeSelect
          aria-label="How many must hold"
          size="xs"
          value={join}
          data={JOINS.map((value) => ({ value, label: JOIN_LABELS[value] }))}
          // Its values are those joins.
          onChange={(event) => onChange({ ...group, join: event.currentTarget.value as Join })}
        />
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => withNodes([...nodes, newCondition('', 'eq', '')])}
        >
          Add condition
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() =>
            withNodes([
              ...nodes,
              newGroup(join === 'any' ? 'all' : 'any', [newCondition('', 'eq', '')]),
            ])
          }
        >
          Add group
        </Button>
        {onRemove !== undefined && (
          <CloseButton size="sm" aria-label="Remove the group" onClick={onRemove} />
        )}
      </div>
      {fault !== undefined && <p className="condition-fault">{fault}</p>}
      {nodes.length === 0 && <p className="dim">{EMPTY[join]}</p>}
      {nodes.map((node, index) => (
        <FilterPart
          key={node.id}
          node={node}
          entity={entity}
          paths={paths}
          faultOf={faultOf}
          onChange={(changed) => withNodes(nodes.with(index, changed))}
          onRemove={() => withNodes(nodes.toSpliced(index, 1))}
        />
      ))}
    </fieldset>
  );
}

interface PartProps extends Omit<Props, 'group' | 'onChange' | 'onRemove'> {
  readonly node: FilterNode;
  readonly onChange: (node: FilterNode) => void;
  readonly onRemove: () => void;
}

function FilterPart({ node, entity, paths, faultOf, onChange, onRemove }: PartProps) {
  if (node.as === 'group')
    return (
      <FilterGroup
        group={node}
        entity={entity}
        paths={paths}
        faultOf={faultOf}
        onChange={onChange}
        onRemove={onRemove}
      />
    );
  return (
    <>
      <ConditionRow
        node={node}
        paths={paths}
        fault={faultOf(node)}
        onChange={onChange}
        onRemove={onRemove}
      />
      {node.as === 'element' && (
        <FilterGroup
          group={node.group}
          entity={entity}
          paths={elementPathsOf(entity, textOfPath(node.path))}
          faultOf={faultOf}
          onChange={(group) => onChange({ ...node, group })}
        />
      )}
    </>
  );
}
