import type { ConnectorKind, UpstreamLimits } from '@patchbay/connectors';

/** An operator's setting of where the upstream of a kind is. Never a tenant's. */
export interface UpstreamSetting {
  readonly baseUrl: string;
  /** Goes out as `execution_metadata.upstream`, so that nobody takes a sandbox for the real thing. */
  readonly label?: string;
  readonly limits?: UpstreamLimits;
  /** Origins that files may come from besides the vendor's hosts. */
  readonly fileOrigins?: readonly string[];
}

/** The settings by kind name; kinds without one are reached at their real address. */
export type UpstreamSettings = Readonly<Record<string, UpstreamSetting | undefined>>;

/** The environment variable that sets a kind's base URL. */
export function upstreamUrlVariable(kindName: string): string {
  return `PATCHBAY_UPSTREAM_URL_${kindName.replaceAll('-', '_').toUpperCase()}`;
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
