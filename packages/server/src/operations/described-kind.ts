import { describeKind, type ConnectorKind, type KindDescription } from '@patchbay/connectors';

const described = new WeakMap<ConnectorKind, KindDescription>();

/** The description of a kind, made once: definitions do not change while the process runs. */
export function describedKind(kind: ConnectorKind): KindDescription {
  const description = described.get(kind) ?? describeKind(kind);
  described.set(kind, description);
  return description;
}
