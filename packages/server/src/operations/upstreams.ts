import { ConnectorError, type ConnectorKind, type UpstreamLimits } from '@patchbay/connectors';
import {
  allKinds,
  fillBaseUrl,
  missingConfig,
  type CheckedCredentials,
} from '@patchbay/connectors/engine';
import type { TrialConnector } from '@patchbay/connectors/wire';

/** An operator's setting of where the upstream of a kind is. Never a tenant's. */
export interface UpstreamSetting {
  readonly baseUrl: string;
  /** Goes out as `execution_metadata.upstream`, so that nobody takes a sandbox for the real thing. */
  readonly label?: string;
  readonly limits?: UpstreamLimits;
  /** Origins that files may come from besides the vendor's hosts. */
  readonly fileOrigins?: readonly string[];
  /**
   * Why credentials are not for this upstream: a sentence for people that tells nothing of them; absent
   * where they may be. Creation takes them all the same, with a warning, and nothing goes out with them.
   */
  readonly refuses?: (values: CheckedCredentials['values']) => string | undefined;
  /** What anybody who may create connectors makes one of here, to try things with: no secrets. */
  readonly trial?: TrialSettings;
}

/** A connector that works at once: what its creation takes besides its kind. */
export interface TrialSettings {
  readonly externalUserId: string;
  readonly name: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly replicationConfig?: Readonly<Record<string, unknown>>;
}

/** The settings by kind name; kinds without one are reached at their real address. */
export type UpstreamSettings = Readonly<Record<string, UpstreamSetting | undefined>>;

/** What the operator calls the upstreams that stand in for those of the vendors. */
export function standInsOf(upstreams: UpstreamSettings): readonly string[] {
  return [
    ...new Set(
      Object.values(upstreams)
        .map((each) => each?.label ?? [])
        .flat(),
    ),
  ];
}

/** What the operator has to try things with, in the order of the kinds. */
export function trialsOf(upstreams: UpstreamSettings): readonly TrialConnector[] {
  return allKinds().flatMap(({ kind, displayName }) => {
    const { trial, label, baseUrl } = upstreams[kind] ?? {};
    if (trial === undefined) return [];
    const { externalUserId, name, credentials, config = {}, replicationConfig = null } = trial;
    const body = {
      connector_type: kind,
      external_user_id: externalUserId,
      name,
      credentials,
      config,
      replication_config: replicationConfig,
    };
    return [{ upstream: label ?? baseUrl ?? kind, display_name: displayName, body }];
  });
}

/** The environment variable that sets a kind's base URL. */
export function upstreamUrlVariable(kindName: string): string {
  return `PATCHBAY_UPSTREAM_URL_${kindName.replaceAll('-', '_').toUpperCase()}`;
}

/** Why the upstream that is set for a kind takes no such credentials, if so. */
export function refusalOf(
  upstreams: UpstreamSettings,
  kindName: string,
  { values }: CheckedCredentials,
): string | undefined {
  return upstreams[kindName]?.refuses?.(values);
}

/** @throws `credentials_out_of_place` for credentials that the set upstream does not take. */
export function requireInPlace(
  upstreams: UpstreamSettings,
  kindName: string,
  credentials: CheckedCredentials,
): void {
  const message = refusalOf(upstreams, kindName, credentials);
  if (message !== undefined) throw new ConnectorError('credentials_out_of_place', {}, { message });
}

/** Where the calls of a connector with this config go; `undefined` nowhere, as something is missing. */
export function addressOf(
  kind: ConnectorKind,
  upstreams: UpstreamSettings,
  config: Readonly<Record<string, unknown>>,
): string | undefined {
  const baseUrl = upstreams[kind.kind]?.baseUrl ?? kind.baseUrl;
  const isMissing = missingConfig(kind, baseUrl, config).length > 0;
  return isMissing ? undefined : fillBaseUrl(kind, baseUrl, config);
}

/** How the engine of a kind is told about the setting. */
export function engineUpstream(
  kind: ConnectorKind,
  upstreams: UpstreamSettings,
): {
  readonly baseUrl: string | undefined;
  readonly baseUrlSetting: string;
  readonly upstreamLimits: UpstreamLimits | undefined;
  readonly fileOrigins: readonly string[] | undefined;
} {
  const setting = upstreams[kind.kind];
  return {
    baseUrl: setting?.baseUrl,
    baseUrlSetting: upstreamUrlVariable(kind.kind),
    upstreamLimits: setting?.limits,
    fileOrigins: setting?.fileOrigins,
  };
}
