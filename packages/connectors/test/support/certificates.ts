import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate for a TLS server, as Node's `key` and `cert`. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;

/**
 * A certificate that its own key has signed, made anew each time: no key is kept in the repository.
 * Whoever trusts it (`ca`) trusts its server.
 *
 * @param host The address or name that it is for.
 * @param daysLeft Until it expires; negative for one that has.
 * @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1
 */
export function selfSigned(host: string, daysLeft = 1): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const name = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from('a test')))));
  const toSign = sequence(
    tagged(0xa0, tagged(0x02, Buffer.of(2))),
    tagged(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(utcTime(now - 9 * DAY_MS), utcTime(now + daysLeft * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(sequence(SUBJECT_ALT_NAME, tagged(0x04, sequence(hostName(host)))))),
  );
  return { key: pemOf(privateKey), cert: certificatePem(toSign, privateKey) };
}

const COMMON_NAME = objectId('550403');
const SUBJECT_ALT_NAME = objectId('551d11');
const ECDSA_WITH_SHA256 = objectId('2a8648ce3d040302');

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

function hostName(host: string): Buffer {
  if (isIP(host) === 0) return tagged(0x82, Buffer.from(host));
  return tagged(0x87, Buffer.from(host.split('.').map(Number)));
}

function certificatePem(toSign: Buffer, key: KeyObject): string {
  const signature = tagged(0x03, Buffer.concat([Buffer.of(0), sign('sha256', toSign, key)]));
  const der = sequence(toSign, sequence(ECDSA_WITH_SHA256), signature).toString('base64');
  const lines = der.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function pemOf(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }));
}

/** `YYMMDDHHMMSSZ`. */
function utcTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/\D/g, '').slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

/** A value in DER: its tag, its length, and what is in it. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}
