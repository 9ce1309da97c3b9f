import { useMemo, useState } from 'react';
import { faultAt, type Failure } from '../../service/failure.ts';
import type { Entered, FieldSpec } from './field-spec.ts';
import { readValues } from './read-value.ts';
import { useFocusOnFault } from './use-focus-on-fault.ts';

/** The fields of a form, what is entered in them, and what is wrong with it. */
export interface Values {
  readonly entered: Entered;
  readonly set: (path: string, text: string) => void;
  readonly setAll: (entered: Entered) => void;
  /** Somebody has been at the field, so that its fault is no news that comes too early. */
  readonly leave: (path: string) => void;
  /** Shows every fault, of those fields or of all, and goes to the first; whether there is none. */
  readonly check: (some?: readonly FieldSpec[]) => boolean;
  /** What to show at a field. */
  readonly faultOf: (path: string) => string | undefined;
  /** What the fields of `specs` stand for, by name. */
  readonly valuesOf: (specs: readonly FieldSpec[]) => Readonly<Record<string, unknown>>;
}

/**
 * @param failure What the service said to what was sent last; its faults are shown at their fields until
 * these are changed.
 */
export function useValues(
  specs: readonly FieldSpec[],
  failure: Failure | undefined,
  initial: Entered = {},
): Values {
  const [entered, setEntered] = useState(initial);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const [failureSeen, setFailureSeen] = useState(failure);
  if (failureSeen !== failure) {
    setFailureSeen(failure);
    setChanged(new Set());
  }
  const { faults } = useMemo(() => readValues(specs, entered), [specs, entered]);
  const [checks, setChecks] = useState(0);
  useFocusOnFault(checks === 0 ? undefined : checks);
  useFocusOnFault(failure);
  return {
    entered,
    set: (path, text) => {
      setEntered((before) => ({ ...before, [path]: text }));
      setChanged((before) => new Set(before).add(path));
    },
    setAll: setEntered,
    leave: (path) => setLeft((before) => new Set(before).add(path)),
    check: (some = specs) => {
      setLeft((before) => new Set([...before, ...some.map(({ path }) => path)]));
      const isRight = some.every(({ path }) => faults[path] === undefined);
      if (!isRight) setChecks((before) => before + 1);
      return isRight;
    },
    faultOf: (path) =>
      (left.has(path) ? faults[path] : undefined) ??
      (changed.has(path) ? undefined : faultAt(failure, path)),
    valuesOf: (some) => readValues(some, entered).values,
  };
}
