import type { AuthMethods } from './auth.ts';
import { findDefinitionFaults } from './check-definition.ts';
import type { ConnectorKind, Entities } from './kind.ts';
import type { Settings } from './setting.ts';

/** A definition that contradicts itself; lists every fault with its path. */
export class InvalidDefinitionError extends Error {
  override readonly name = 'InvalidDefinitionError';
  readonly faults: readonly string[];

  constructor(kind: string, faults: readonly string[]) {
    super(`The definition of ${kind} has ${faults.length} faults:\n  ${faults.join('\n  ')}`);
    this.faults = faults;
  }
}

/**
 * Declares a connector kind and checks it as a whole.
 *
 * @throws InvalidDefinitionError with every fault at once, each with its path.
 */
export function connectorKind<
  const E extends Entities,
  const A extends AuthMethods,
  const C extends Settings,
  const R extends Settings,
  const L extends readonly string[],
  const D extends string = never,
  const N extends string = string,
>(definition: ConnectorKind<E, A, C, R, L, D, N>): ConnectorKind<E, A, C, R, L, D, N> {
  const faults = findDefinitionFaults(definition);
  if (faults.length > 0) throw new InvalidDefinitionError(definition.kind, faults);
  return definition;
}
