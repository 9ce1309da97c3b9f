import { fillBaseUrl } from '../execution/check-settings.ts';
import { baseOf, type UpstreamBase } from '../execution/transport.ts';
import type { ConnectorKind, OAuthAddress } from '../vocabulary/index.ts';

/** Where the upstream of a connector is. */
export interface OAuthSite {
  readonly kind: ConnectorKind;
  /** Checked config variables. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Where the upstream is, instead of its real address: a proxy, or the sandbox. */
  readonly baseUrl?: string | undefined;
}

/**
 * The address of an authorization server. Where the upstream is somewhere else than at its vendor's,
 * its authorization server is there too, under the vendor's paths: the base URL of Zendesk Support
 * ends with `/api/v2`, so that `http://proxy/zendesk/api/v2` in its place has the tokens of
 * `https://acme.zendesk.com/oauth/tokens` at `http://proxy/zendesk/oauth/tokens`. A base URL that does
 * not end as the vendor's does has the vendor's paths below it.
 */
export function oauthAddress(site: OAuthSite, address: OAuthAddress): string {
  const { kind, config, baseUrl } = site;
  const own = fillBaseUrl(kind, addressOf(site, address), config);
  if (baseUrl === undefined) return own;
  const { origin, path } = baseOf(fillBaseUrl(kind, baseUrl, config));
  const vendorPath = new URL(kind.baseUrl.replaceAll(/\{[a-z0-9_]+\}/g, 'x')).pathname;
  const above = path.endsWith(vendorPath) ? path.slice(0, -vendorPath.length) : path;
  return `${origin}${above}${new URL(own).pathname}`;
}

/** The same in the parts that a request is sent to. */
export function oauthBase(site: OAuthSite, address: OAuthAddress): UpstreamBase {
  return baseOf(oauthAddress(site, address));
}

function addressOf({ kind, config }: OAuthSite, address: OAuthAddress): string {
  if (typeof address === 'string') return address;
  const word = String(config[address.variable] ?? kind.config[address.variable]?.default);
  const found = address.addresses[word];
  if (found === undefined) throw new Error(`${kind.kind} has no address for "${word}"`);
  return found;
}
