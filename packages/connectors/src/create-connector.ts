import type { Dispatcher } from 'undici';
import { credentialWarnings } from './credentials-ending.ts';
import { describeEntity, describeKind } from './describe.ts';
import { checkConnector, type CheckReport } from './execution/check-connector.ts';
import { findEntity } from './execution/check-call.ts';
import { checkOptionNames } from './execution/check-options.ts';
import { checkParts } from './execution/check-parts.ts';
import { checkConfig } from './execution/check-settings.ts';
import { systemClock, type Clock } from './execution/clock.ts';
import { ConnectorEngine, type DriftReport } from './execution/connector-engine.ts';
import { checkCredentials } from './execution/credentials.ts';
import type { UpstreamLimits } from './execution/limiter.ts';
import { findKindOfApp } from './find-kind.ts';
import type { KindAlias, KindName, KindNamed, Kinds } from './kinds/index.ts';
import { RenewingCredentials, type OnCredentialsChanged } from './oauth/renewing-credentials.ts';
import {
  actionNamesOf,
  type CallOptions,
  type ConnectorKind,
  type DistributionOf,
  type EntityName,
  type Execute,
  type KindCalls,
  type KindConfig,
  type KindCredentials,
} from './vocabulary/index.ts';
import type { EntityDescription, KindDescription } from './wire/kind-description.ts';

/** How to reach an upstream with one's own credentials. */
export interface ConnectorOptions<K extends ConnectorKind = ConnectorKind> {
  /** The fields of exactly one auth method of the kind. */
  readonly credentials: KindCredentials<K>;
  /** Config variables of the kind, for example a subdomain. */
  readonly config?: KindConfig<K>;
  /** Where the upstream is, instead of its real address: a proxy, or the sandbox. */
  readonly baseUrl?: string;
  /** `vendor` (default) keeps the published limits, `reactive` only what answers say; or a factor. */
  readonly upstreamLimits?: UpstreamLimits;
  /** Origins that files may come from besides the vendor's hosts, for a simulator or proxy. */
  readonly fileOrigins?: readonly string[];
  /**
   * How the app reaches accounts, for kinds whose upstream grants more to some than to others: rates and
   * page sizes follow. See `distributions` of `describe()`.
   */
  readonly distribution?: DistributionOf<K>;
  /** Longest time of a call in all; 60,000 ms by default. */
  readonly timeoutMs?: number;
  /** A dispatcher of undici 7 or later to send through. */
  readonly dispatcher?: Dispatcher;
  readonly clock?: Clock;
  /** Numbers from 0 to 1, for the jitter of retries. */
  readonly random?: () => number;
  /**
   * Told of credentials that were renewed, in the shape of `credentials`, and awaited before they are
   * used: keep them, and begin with them the next time. Refresh tokens are used only where this is
   * given, since vendors delete the old pair with it; without it, an access token that ended is
   * `credentials_rejected`. Where it throws, it is called again with the same credentials.
   */
  readonly onCredentialsChanged?: (credentials: KindCredentials<K>) => void | Promise<void>;
  /**
   * Called when an answer had fields the definition does not know, or lost a value. Where it throws, the
   * call rejects with that; a write, which was accepted, with `internal` and `applied: true`.
   */
  readonly onDrift?: (report: DriftReport) => void;
}

/** All of them, for callers without types. */
const OPTIONS: Readonly<Record<keyof ConnectorOptions, true>> = {
  credentials: true,
  config: true,
  baseUrl: true,
  upstreamLimits: true,
  fileOrigins: true,
  distribution: true,
  timeoutMs: true,
  dispatcher: true,
  clock: true,
  random: true,
  onCredentialsChanged: true,
  onDrift: true,
};

/** Callers without types may give none: what is missing then is said as of `{}`. */
function orNone<O extends object>(options: O | undefined): O | Partial<O> {
  return options ?? {};
}

/** A connector of kind `K` in open source mode: `connector.<entity>.<action>(params)`. */
export type Connector<K extends ConnectorKind> = KindCalls<K> & {
  /** Runs an operation by name; same results as the typed calls. */
  readonly execute: Execute<K>;
  /** Names of the entities, in the order of the service reference. */
  entities(): readonly EntityName<K>[];
  /** The whole kind, or one entity: actions, params, record and searchable fields. */
  describe(): KindDescription;
  describe(entity: EntityName<K>): EntityDescription;
  /** Tries the credentials with cheap reads; warns where they end and nothing renews them. */
  check(options?: CallOptions): Promise<CheckReport>;
};

/** A connector of whatever kind, as a `Connector` of any is one: everything by name. */
export interface AnyConnector {
  /** Runs an operation by name; a list gives `{ data, meta }`, a download a file, anything else the record. */
  execute(entity: string, action: string, params?: object, options?: CallOptions): Promise<unknown>;
  entities(): readonly string[];
  describe(): KindDescription;
  describe(entity: string): EntityDescription;
  check(options?: CallOptions): Promise<CheckReport>;
}

/**
 * Makes a connector of a kind, by its name or alias, that runs in this process with the caller's own
 * credentials. Sends nothing until it is called.
 *
 * @throws `unknown_connector_type`, `invalid_credentials`, `invalid_config`.
 * @see docs/quick-start-library.md
 */
export function createConnector<const N extends KindName | KindAlias>(
  kindName: N,
  options: ConnectorOptions<Kinds[KindNamed<N>]>,
): Connector<Kinds[KindNamed<N>]> {
  const given = orNone(options);
  checkOptionNames(given, Object.keys(OPTIONS));
  checkParts(given);
  const { onCredentialsChanged, distribution, ...rest } = given;
  const kind = findKindOfApp(kindName, distribution);
  const credentials = checkCredentials(kind, given.credentials);
  const config = checkConfig(kind, given.config);
  const renewing = new RenewingCredentials({
    kind,
    config,
    credentials,
    // Renewed credentials have the fields that those had which passed the check.
    onCredentialsChanged: onCredentialsChanged as OnCredentialsChanged | undefined,
    baseUrl: given.baseUrl,
    dispatcher: given.dispatcher,
    clock: given.clock ?? systemClock,
    random: given.random ?? Math.random,
  });
  const { authorize } = renewing;
  const engine = new ConnectorEngine({ ...rest, kind, authorize, config });
  const check = async (callOptions?: CallOptions): Promise<CheckReport> => ({
    ...(await checkConnector(engine, callOptions)),
    warnings: credentialWarnings({ kind, ...renewing.life() }),
  });
  // The surface is made from the definition that its type is inferred from.
  return { ...callSurface(engine), check } as unknown as Connector<Kinds[KindNamed<N>]>;
}

function callSurface(engine: ConnectorEngine): Readonly<Record<string, unknown>> {
  const { kind } = engine;
  // The caller's own: calls are checked by the schemas that a description has.
  const describe = (entityName?: string) =>
    structuredClone(
      entityName === undefined
        ? describeKind(kind)
        : describeEntity(kind, findEntity(kind, entityName)),
    );
  return {
    ...Object.fromEntries(
      Object.keys(kind.entities).map((entityName) => [entityName, entityCalls(engine, entityName)]),
    ),
    execute: engine.execute.bind(engine),
    entities: () => Object.keys(kind.entities),
    describe,
  };
}

function entityCalls(
  engine: ConnectorEngine,
  entityName: string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    // Search is not in the types: whoever calls it from JavaScript is told that it is hosted only.
    actionNamesOf(findEntity(engine.kind, entityName)).map((actionName) => {
      const call = (params?: unknown, options?: CallOptions) =>
        engine.execute(entityName, actionName, params, options);
      const walks =
        actionName === 'list'
          ? {
              pages: (params?: unknown, options?: CallOptions) =>
                engine.pages(entityName, params, options),
              all: (params?: unknown, options?: CallOptions) =>
                engine.all(entityName, params, options),
            }
          : {};
      return [actionName, Object.assign(call, walks)];
    }),
  );
}
