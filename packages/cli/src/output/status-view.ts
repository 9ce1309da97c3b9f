import type { ConnectorInfo } from '@patchbay/client';
import type { ConnectorError } from '@patchbay/connectors/definitions';
import { COMMAND_NAME } from '../command-name.ts';
import type { FoundSettings } from '../profile/service-settings.ts';
import type { ConnectorStates, OldestCopy } from '../service/copies-state.ts';
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
  const oldest = connectors?.oldest;
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
            connectors: connectors.all.length,
            complete: connectors.all.every(({ freshness }) => freshness?.complete === true),
            oldest_as_of: oldest?.asOf ?? null,
            lag_seconds: oldest === undefined ? null : lagSeconds(oldest.asOf),
            connector_id: oldest?.info.id ?? null,
            entity: oldest?.entity ?? null,
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
  if (connectors !== undefined && connectors.all.length > 0) {
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
  const { all, oldest } = connectors;
  const of = externalUser === undefined ? 'of all external users' : `of ${externalUser.id}`;
  const counts = Object.entries(countsOf(connectors)).map(
    ([status, count]) => `${count} ${status}`,
  );
  return {
    connectors: `${all.length} ${of}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`,
    ...(all.length === 0 ? {} : { freshness: freshnessText(oldest) }),
  };
}

function freshnessText(oldest: OldestCopy | undefined): string {
  if (oldest === undefined) return 'no connector has been copied whole yet';
  const { entity, info, asOf } = oldest;
  const what = entity === null ? info.name : `${entity} of ${info.name}`;
  return `the oldest copy is ${ageText(lagSeconds(asOf))} old: ${what}`;
}

function showConnectors({ all }: ConnectorStates, terminal: Terminal): void {
  const rows = all.slice(0, MAX_SHOWN).map((each) => {
    const { id, connector_type: kind, name, status, freshness } = each;
    return { id, kind, name, status, 'oldest copy': copyText(freshness) };
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
      ? [settings.withheld ?? 'Log in to see its connectors: patchbay login']
      : []),
  ];
}

function countsOf({ all }: ConnectorStates): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of all) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function copyText(freshness: ConnectorInfo['freshness']): string {
  if (freshness === null) return UNTOLD;
  const { as_of: asOf } = freshness;
  return asOf === null ? 'not whole yet' : `${ageText(lagSeconds(asOf))} old`;
}

/** Seconds since a copy was read; clocks may differ, so it is never less than 0. */
function lagSeconds(asOf: string): number {
  return Math.max(0, Math.round((Date.now() - Date.parse(asOf)) / 1_000));
}
