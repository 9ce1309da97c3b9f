import type { ConnectorError } from '@patchbay/connectors/definitions';
import { COMMAND_NAME } from '../command-name.ts';
import type { FoundSettings } from '../profile/service-settings.ts';
import type { ConnectorState, ConnectorStates } from '../service/copies-state.ts';
import type { ServiceState } from '../service/service-state.ts';
import type { Terminal } from '../terminal.ts';
import { ageText } from './age-text.ts';
import { messagesOf } from './connector-view.ts';
import { printable } from './printable.ts';
import { sourcedSettings } from './setting-source.ts';
import { showTable } from './show-table.ts';
import { renderRecord } from './table.ts';

/** What `patchbay status` found out. */
export interface Status {
  readonly settings: FoundSettings;
  readonly service: ServiceState;
  /** `undefined` where there are no credentials, or the service is not ready or refused them. */
  readonly connectors: ConnectorStates | undefined;
  /** Why the connectors are not known, where the service said so. */
  readonly refusal: ConnectorError | undefined;
}

/** The status for programs; everything that is not known is null. */
export function statusJson({ settings, service, connectors, refusal }: Status): object {
  const { address, profile, externalUser, application } = settings;
  const { error, warnings, ...known } = service;
  const problem = error ?? refusal;
  const oldest = connectors && oldestOf(connectors.looked);
  return {
    base_url: address.baseUrl,
    base_url_from: address.from,
    profile: profile ?? null,
    ...known,
    logged_in: application !== undefined && refusal === undefined,
    connectors:
      connectors === undefined
        ? null
        : {
            external_user_id: externalUser?.id ?? null,
            total: connectors.all.length,
            by_status: countsOf(connectors),
          },
    freshness:
      connectors === undefined
        ? null
        : {
            connectors: connectors.looked.length,
            complete: connectors.looked.every(({ isComplete }) => isComplete),
            oldest_as_of: oldest?.oldestAsOf ?? null,
            lag_seconds: lagSeconds(oldest),
            connector_id: oldest?.info.id ?? null,
            entity: oldest?.oldestEntity ?? null,
          },
    warnings: [...warnings, ...(connectors?.all ?? []).flatMap(messagesOf)],
    error: problem === undefined ? null : { code: problem.code, message: problem.message },
  };
}

/** Shows the status to a person: what there is to know, then each connector, then what to do. */
export function showStatus(status: Status, terminal: Terminal): void {
  const { settings, service, connectors } = status;
  const rows = {
    service: sourcedSettings(settings).service,
    state: service.ready ? 'ready' : service.reachable ? 'not ready' : 'not reachable',
    version: service.version ?? UNTOLD,
    database: service.database ?? UNTOLD,
    workers: service.workers === null ? UNTOLD : String(service.workers),
    ...(connectors === undefined ? {} : connectorRows(connectors, settings)),
  };
  terminal.out(
    renderRecord(service.ready ? rows : { service: rows.service, state: rows.state }, terminal),
  );
  if (connectors !== undefined && connectors.looked.length > 0) {
    terminal.out('\n');
    showConnectors(connectors, terminal);
  }
  for (const note of notesOn(status)) terminal.err(`${printable(note)}\n`);
}

const UNTOLD = 'not told by this service';
const COLUMNS = ['id', 'kind', 'name', 'status', 'oldest copy'];
/** A person does not read more. */
const MAX_SHOWN = 20;

function connectorRows(
  connectors: ConnectorStates,
  { externalUser }: FoundSettings,
): Readonly<Record<string, string>> {
  const { all, looked } = connectors;
  const of = externalUser === undefined ? 'of all external users' : `of ${externalUser.id}`;
  const counts = Object.entries(countsOf(connectors)).map(
    ([status, count]) => `${count} ${status}`,
  );
  const oldest = oldestOf(looked);
  const part = looked.length < all.length ? ` (of the first ${looked.length})` : '';
  return {
    connectors: `${all.length} ${of}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`,
    ...(all.length === 0 ? {} : { freshness: freshnessText(oldest) + part }),
  };
}

function freshnessText(oldest: ConnectorState | undefined): string {
  const lag = lagSeconds(oldest);
  if (oldest === undefined || lag === null) return 'nothing has been copied yet';
  return `the oldest copy is ${ageText(lag)} old: ${oldest.oldestEntity} of ${oldest.info.name}`;
}

function showConnectors({ all, looked }: ConnectorStates, terminal: Terminal): void {
  const rows = looked.slice(0, MAX_SHOWN).map((each) => {
    const { id, connector_type: kind, name, status } = each.info;
    const lag = lagSeconds(each);
    const age = lag === null ? 'none yet' : `${ageText(lag)} old`;
    const copy = each.isComplete || lag === null ? age : `${age}, not all`;
    return { id, kind, name, status, 'oldest copy': copy };
  });
  showTable(COLUMNS, rows, terminal);
  if (all.length > rows.length)
    terminal.err(`And ${all.length - rows.length} more: patchbay connector list\n`);
}

/** What somebody should know or do. */
function notesOn({ settings, service, connectors, refusal }: Status): readonly string[] {
  const error = service.error ?? refusal;
  const isLocal = settings.address.from === 'default';
  return [
    ...service.warnings,
    ...(connectors?.all ?? []).flatMap((info) =>
      messagesOf(info).map((message) => `${info.name} (${info.id}): ${message}`),
    ),
    ...(error === undefined ? [] : [`${error.message} (${error.code})`]),
    ...(service.reachable || !isLocal ? [] : [`\`${COMMAND_NAME} start\` starts a service here.`]),
    ...(settings.application === undefined && service.reachable
      ? ['Log in to see its connectors: patchbay login']
      : []),
  ];
}

function countsOf({ all }: ConnectorStates): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of all) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Of those that have any copy. */
function oldestOf(states: readonly ConnectorState[]): ConnectorState | undefined {
  return states
    .filter(({ oldestAsOf }) => oldestAsOf !== null)
    .toSorted((one, other) => lagMs(other) - lagMs(one))[0];
}

/** Seconds since the oldest copy was read; clocks may differ, so it is never less than 0. */
function lagSeconds(state: ConnectorState | undefined): number | null {
  if (state === undefined || state.oldestAsOf === null) return null;
  return Math.max(0, Math.round(lagMs(state) / 1_000));
}

function lagMs({ oldestAsOf }: ConnectorState): number {
  return Date.now() - Date.parse(oldestAsOf ?? '');
}
