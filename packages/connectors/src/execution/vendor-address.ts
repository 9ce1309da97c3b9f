/** Where requests go in place of the vendor's own address: a proxy, or a simulator. */
export interface Detour {
  /** The base URL that requests go to. */
  readonly baseUrl: string;
  /** The vendor's, for this connector. */
  readonly vendorBaseUrl: string;
  /** Whether the config says which host that is. */
  readonly isVendorKnown: boolean;
}

/**
 * Meta fields with the addresses among them as the vendor would give them: where an operator has put a
 * proxy is nobody else's business, and `127.0.0.1` is another machine for everybody else. Where the
 * vendor's host is not known, path and query remain.
 */
export function withVendorAddresses(
  meta: Readonly<Record<string, unknown>>,
  detour: Detour,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(meta).map(([name, value]) => [
      name,
      isAddress(value) ? vendorAddress(new URL(value), detour) : value,
    ]),
  );
}

/** Cursors are opaque, and may well have a colon in them. */
function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
}

function vendorAddress({ host, pathname, search }: URL, detour: Detour): string {
  const { baseUrl, vendorBaseUrl, isVendorKnown } = detour;
  const vendor = new URL(vendorBaseUrl);
  const base = new URL(baseUrl);
  const basePath = withoutSlash(base.pathname);
  // What stands behind a proxy, and names itself or the vendor, has the vendor's paths already.
  const isBelow = host === base.host && pathname.startsWith(`${basePath}/`);
  const path = isBelow
    ? `${withoutSlash(vendor.pathname)}${pathname.slice(basePath.length)}`
    : pathname;
  return `${isVendorKnown ? vendor.origin : ''}${path}${search}`;
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
