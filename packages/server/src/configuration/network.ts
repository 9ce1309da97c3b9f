import { isIP } from 'node:net';
import { parseOrigin } from '@patchbay/connectors/wire';
import type { TrustedProxies } from '../http/http-server.ts';
import { isWithin } from '../network-of.ts';
import type { Environment, Report } from './environment.ts';

/** A person's browser sends a code there: over https, or to the machine itself. */
export function readPublicUrl(env: Environment, report: Report): string | undefined {
  const text = env['PATCHBAY_PUBLIC_URL']?.replace(/\/$/, '');
  if (text === undefined) return undefined;
  const origin = parseOrigin(text);
  if (origin === undefined)
    report(
      'PATCHBAY_PUBLIC_URL',
      'must be where browsers reach the service, such as https://patchbay.example.com: https (or http on a loopback address), without path',
    );
  return origin;
}

export function readTrustedProxies(env: Environment, report: Report): TrustedProxies | undefined {
  const text = env['PATCHBAY_TRUSTED_PROXIES'];
  if (text === undefined) return undefined;
  if (/^[1-9]$/.test(text)) return Number(text);
  const networks = text.split(',').map((network) => network.trim());
  if (networks.every(isNetwork)) return networks;
  report(
    'PATCHBAY_TRUSTED_PROXIES',
    'must be how many proxies there are (1 to 9), or their addresses and networks such as 10.0.0.0/8, comma-separated',
  );
  return undefined;
}

const ENDS_OF_IPV4 = ['0.0.0.0', '255.255.255.255'];

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (most === 0 || more.length > 0) return false;
  if (bits === undefined) return true;
  if (!/^[1-9]\d{0,2}$/.test(bits) || Number(bits) > most) return false;
  // A network of all addresses would let anybody say what theirs is; IPv6 has all of IPv4 in one of its own.
  return !ENDS_OF_IPV4.every(isWithin([text]));
}
