import type { ConnectorKind } from '@patchbay/connectors';
import { allKinds, findKind, findKindOfApp } from '@patchbay/connectors/engine';

/** How the operator's app of a kind is distributed, by kind; the usual way of the kind unless said. */
export type AppDistributions = Readonly<Record<string, string | undefined>>;

/** The environment variable that says how the operator's app of a kind is distributed. */
export function distributionVariable(kindName: string): string {
  return `PATCHBAY_OAUTH_${kindName.replaceAll('-', '_').toUpperCase()}_DISTRIBUTION`;
}

/** The kinds as they are for the apps of a service: what these may do, calls, copies and texts follow. */
export class ServedKinds {
  /** In the order of the service reference. */
  readonly all: readonly ConnectorKind[];
  readonly #byKind: ReadonlyMap<string, ConnectorKind>;

  /** @throws `invalid_config` for a distribution that a kind does not have. */
  constructor(distributions: AppDistributions = {}) {
    this.all = allKinds().map(({ kind }) => findKindOfApp(kind, distributions[kind]));
    this.#byKind = new Map(this.all.map((kind) => [kind.kind, kind]));
  }

  /**
   * The kind of a name or alias.
   *
   * @throws `unknown_connector_type` with the kinds there are.
   */
  find(name: string): ConnectorKind {
    const { kind } = findKind(name);
    const found = this.#byKind.get(kind);
    if (found === undefined) throw new Error(`${kind} is not served`);
    return found;
  }
}
