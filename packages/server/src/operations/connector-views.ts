import type { Warning } from '@patchbay/connectors';
import { credentialWarnings, findKind, missingConfig } from '@patchbay/connectors/engine';
import type { Connector, ConnectorInspection } from '@patchbay/connectors/wire';
import type { ConnectorRow, EntitySync } from '@patchbay/store';
import { configPatch } from './config-required.ts';
import { viewConnector, viewInspection } from './connector-view.ts';
import type { LiveConnectors } from './live-connectors.ts';
import { refusalOf, type UpstreamSettings } from './upstreams.ts';

interface ConnectorViewsParts {
  readonly live: Pick<LiveConnectors, 'find'>;
  readonly upstreams: UpstreamSettings;
}

/** Connectors as they go out, with what somebody has to do about them. */
export class ConnectorViews {
  readonly #parts: ConnectorViewsParts;

  constructor(parts: ConnectorViewsParts) {
    this.#parts = parts;
  }

  async of(row: ConnectorRow): Promise<Connector> {
    return viewConnector(row, await this.warningsOf(row));
  }

  async inspectionOf(
    row: ConnectorRow,
    entities: readonly EntitySync[],
  ): Promise<ConnectorInspection> {
    return viewInspection(await this.of(row), entities);
  }

  /** What somebody has to do before calls of the connector fail, or work at all. */
  async warningsOf(row: ConnectorRow): Promise<readonly Warning[]> {
    return [
      ...(await this.#refusalWarnings(row)),
      ...configWarnings(row, this.#parts.upstreams),
      ...endWarnings(row),
    ];
  }

  /** Credentials are opened only where there is something to look for in them. */
  async #refusalWarnings(row: ConnectorRow): Promise<readonly Warning[]> {
    const { live, upstreams } = this.#parts;
    if (upstreams[row.kind]?.refuses === undefined) return [];
    const connector = await live.find(row.id);
    const message = connector && refusalOf(upstreams, row.kind, connector.credentials());
    if (message === undefined) return [];
    return [{ code: 'credentials_out_of_place', message, field: 'credentials' }];
  }
}

/** What the real upstream needs, where the one that the operator has set does without it, too. */
function configWarnings(
  { id, kind: kindName, config }: ConnectorRow,
  upstreams: UpstreamSettings,
): readonly Warning[] {
  const kind = findKind(kindName);
  const missing = missingConfig(kind, kind.baseUrl, config);
  const setting = upstreams[kindName];
  const isNeeded = (name: string) => setting === undefined || setting.baseUrl.includes(`{${name}}`);
  return missing.map((name) => ({
    code: 'config_missing',
    message: `The connector has no config.${name}. ${
      isNeeded(name)
        ? 'Until it has, every call that goes upstream, every check and every sync fails with config_required.'
        : `The upstream that this service is set to (${setting?.label ?? setting?.baseUrl}) does without it; against the real upstream, every call, every check and every sync would fail with config_required.`
    } Send: ${configPatch(id, [name])}`,
    field: `config.${name}`,
  }));
}

/** What a person has to do before the credentials of a connector end. Of those from before nothing is known. */
function endWarnings(row: ConnectorRow): readonly Warning[] {
  const { authMethod: method, isRenewable, tokenEndsAt: endsAt } = row;
  const kind = findKind(row.kind);
  return credentialWarnings({ kind, method, isRenewable: isRenewable ?? true, endsAt });
}
