import { BlockList, isIP, isIPv6 } from 'node:net';

const GROUPS = 8;
/** Of the eight: a network, whose other 64 bits are its owner's to choose from. */
const NETWORK_GROUPS = 4;
/** What stands before the two last groups, where those are an IPv4 address. */
const MAPPED = ['0', '0', '0', '0', '0', 'ffff'];

/** An address as some proxies pass it on: with a port, and IPv6 in brackets. */
const WITH_PORT = /^(?:((?:::ffff:)?\d+\.\d+\.\d+\.\d+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/** The address alone, where a proxy has passed on the port with it: each connection has another. */
export function withoutPort(address: string): string {
  const [, ipv4, ipv6] = WITH_PORT.exec(address) ?? [];
  return ipv4 ?? ipv6 ?? address;
}

/**
 * Tells whether an address, with a port or without, is one of some addresses and networks.
 *
 * @param networks Such as `10.0.0.7` and `fd00::/8`.
 */
export function isWithin(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (text) => {
    const address = withoutPort(text);
    return isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
}

/**
 * What an address counts as where callers are known by theirs alone. Whoever has an IPv6 address has 2^64 of them, so all
 * of the network count as one; an IPv4 address is the same in both its forms. Other text stays as it is.
 */
export function networkOf(text: string): string {
  const address = withoutPort(text);
  const [withoutZone = ''] = address.split('%');
  if (!isIPv6(withoutZone)) return address;
  const groups = groupsOf(withoutZone);
  if (!MAPPED.every((group, index) => groups[index] === group))
    return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
  const [high = 0, low = 0] = groups.slice(MAPPED.length).map((group) => parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function groupsOf(address: string): readonly string[] {
  // A URL has each in one form only: hexadecimal, without zeros before it, the longest row of zeros left out.
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: GROUPS - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after];
}
