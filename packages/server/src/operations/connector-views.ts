import type { Clock, Warning } from '@patchbay/connectors';
import {
  credentialWarnings,
  findKind,
  isInstantSetting,
  missingConfig,
} from '@patchbay/connectors/engine';
import type { Connector, ConnectorInspection } from '@patchbay/connectors/wire';
import type { ConnectorRow, CopyStanding, EntitySync, Store } from '@patchbay/store';
import { configPatch } from './config-required.ts';
import { viewConnector, viewInspection } from './connector-view.ts';
import { copiedEntities } from './freshness.ts';
import type { LiveConnector } from './live-connector.ts';
import type { LiveConnectors } from './live-connectors.ts';
import { refusalOf, type UpstreamSettings } from './upstreams.ts';

interface ConnectorViewsParts {
  readonly store: Pick<Store, 'syncs'>;
  readonly clock: Clock;
  readonly live: Pick<LiveConnectors, 'credentialsOf' | 'known'>;
  readonly upstreams: UpstreamSettings;
  /** From the end of a sync to the next one. */
  readonly intervalMs: number;
}

/** The embedded database does nothing else meanwhile. */
const ROWS_AT_ONCE = 250;

type Standings = ReadonlyMap<string, CopyStanding>;

/** Connectors as they go out, with what somebody has to do about them. */
export class ConnectorViews {
  readonly #parts: ConnectorViewsParts;

  constructor(parts: ConnectorViewsParts) {
    this.#parts = parts;
  }

  async of(row: ConnectorRow): Promise<Connector> {
    return this.#view(row, await this.#standingsOf([row]));
  }

  /** Of one that has just been made: nothing of it has been copied, and no look at the database can keep it back. */
  async ofNew(row: ConnectorRow): Promise<Connector> {
    return this.#view(row, new Map(), this.#parts.live.known(row.id));
  }

  /** In the order of the rows; one statement for every 250 of them. */
  async all(rows: readonly ConnectorRow[]): Promise<readonly Connector[]> {
    const views: Connector[] = [];
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const some = rows.slice(from, from + ROWS_AT_ONCE);
      const standings = await this.#standingsOf(some);
      views.push(...(await Promise.all(some.map((row) => this.#view(row, standings)))));
    }
    return views;
  }

  async inspectionOf(
    row: ConnectorRow,
    entities: readonly EntitySync[],
  ): Promise<ConnectorInspection> {
    return viewInspection(await this.of(row), entities);
  }

  async #view(row: ConnectorRow, standings: Standings, known?: LiveConnector): Promise<Connector> {
    const standing = standings.get(row.id) ?? unknownStanding(row);
    const warnings = await this.warningsOf(row, known);
    const { clock, intervalMs } = this.#parts;
    return viewConnector(row, { warnings, standing, nowMs: clock.now(), intervalMs });
  }

  async #standingsOf(rows: readonly ConnectorRow[]): Promise<Standings> {
    if (rows.length === 0) return new Map();
    const kinds = [...new Set(rows.map(({ kind }) => kind))];
    const standings = await this.#parts.store.syncs.standings({
      connectorIds: rows.map(({ id }) => id),
      entities: kinds.flatMap((kind) =>
        copiedEntities(findKind(kind)).map((entity) => ({ kind, entity })),
      ),
    });
    return new Map(standings.map((each) => [each.connectorId, each]));
  }

  /** What somebody has to do before calls of the connector fail, or work at all. */
  async warningsOf(row: ConnectorRow, known?: LiveConnector): Promise<readonly Warning[]> {
    return [
      ...(await this.#refusalWarnings(row, known)),
      ...configWarnings(row, this.#parts.upstreams),
      ...endWarnings(row),
      ...beginningWarnings(row, this.#parts.clock.now()),
    ];
  }

  /** Credentials are opened only where there is something to look for in them. */
  async #refusalWarnings(
    row: ConnectorRow,
    known: LiveConnector | undefined,
  ): Promise<readonly Warning[]> {
    const { live, upstreams } = this.#parts;
    if (upstreams[row.kind]?.refuses === undefined) return [];
    const credentials = known?.credentials() ?? (await live.credentialsOf(row));
    const message = refusalOf(upstreams, row.kind, credentials);
    if (message === undefined) return [];
    return [{ code: 'credentials_out_of_place', message, field: 'credentials' }];
  }
}

/** Of a connector that has just been made, or was deleted after its row was read. */
function unknownStanding({ id, updatedAt }: ConnectorRow): CopyStanding {
  return {
    connectorId: id,
    asOf: null,
    isComplete: false,
    recordCount: 0,
    problem: null,
    stateChangedAt: updatedAt,
  };
}

/** What the real upstream needs, where the one that the operator has set does without it, too. */
function configWarnings(
  { id, kind: kindName, config }: ConnectorRow,
  upstreams: UpstreamSettings,
): readonly Warning[] {
  const kind = findKind(kindName);
  const missing = missingConfig(kind, kind.baseUrl, config);
  const setting = upstreams[kindName];
  const named = setting?.label === undefined ? '' : ` (${setting.label})`;
  const isNeeded = (name: string) => setting === undefined || setting.baseUrl.includes(`{${name}}`);
  return missing.map((name) => ({
    code: 'config_missing',
    message: `The connector has no config.${name}. ${
      isNeeded(name)
        ? 'Until it has, every call that goes upstream, every check and every sync fails with config_required.'
        : `The upstream that this service is set to${named} does without it; against the real upstream, every call, every check and every sync would fail with config_required.`
    } Send: ${configPatch(id, [name])}`,
    field: `config.${name}`,
  }));
}

/** A slip in a year, most likely: the copy is, or will be, as good as empty, and complete all the same. */
function beginningWarnings(
  { kind: kindName, replicationConfig }: ConnectorRow,
  nowMs: number,
): readonly Warning[] {
  return Object.entries(findKind(kindName).replicationConfig).flatMap(([name, setting]) => {
    const value = replicationConfig?.[name];
    const isAhead = typeof value === 'string' && Date.parse(value) > nowMs;
    if (!isInstantSetting(setting) || !isAhead) return [];
    const message = `${name} is still to come: of what there was before ${value} nothing is copied, and what had been copied leaves the copy.`;
    return [{ code: 'start_date_ahead', message, field: `replication_config.${name}` }];
  });
}

/** What a person has to do before the credentials of a connector end. Of those from before nothing is known. */
function endWarnings(row: ConnectorRow): readonly Warning[] {
  const { authMethod: method, isRenewable, tokenEndsAt: endsAt } = row;
  const kind = findKind(row.kind);
  return credentialWarnings({ kind, method, isRenewable: isRenewable ?? true, endsAt });
}
