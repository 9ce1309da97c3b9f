import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withVendorAddresses } from './vendor-address.ts';

const VENDOR = 'https://acme.vendor.example/api/v2';

/** The address that a link of an upstream is given out as. */
function given(link: unknown, baseUrl: string, isVendorKnown = true): unknown {
  const detour = { baseUrl, vendorBaseUrl: VENDOR, isVendorKnown };
  return withVendorAddresses({ link }, detour)['link'];
}

test('links have the address of the vendor, wherever the requests go', () => {
  const whole = `${VENDOR}/tickets.json?page=2&q=a%20b`;
  for (const [baseUrl, link] of [
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010/tickets.json?page=2&q=a%20b'],
    ['http://127.0.0.1:4010/', 'http://127.0.0.1:4010/tickets.json?page=2&q=a%20b'],
    ['http://proxy/api/v2', 'http://proxy/api/v2/tickets.json?page=2&q=a%20b'],
    ['http://proxy/desk/api/v2', 'http://proxy/desk/api/v2/tickets.json?page=2&q=a%20b'],
    // What stands behind the proxy names itself, or the vendor.
    ['http://proxy/desk', 'http://behind.internal:8080/api/v2/tickets.json?page=2&q=a%20b'],
    ['http://proxy/desk', whole],
    ['http://proxy', whole],
  ] as const)
    assert.equal(given(link, baseUrl), whole, `${link} by ${baseUrl}`);
});

test('where the host of the vendor is not known, path and query remain', () => {
  const link = 'http://127.0.0.1:4010/desk/tickets.json?page=2';
  const relative = '/api/v2/tickets.json?page=2';
  assert.equal(given(link, 'http://127.0.0.1:4010/desk', false), relative);
});

test('what is no address stays as it is', () => {
  for (const value of [null, 12, '', 'bm90OmFuOmFkZHJlc3M=', 'a:b', '?page=2', 'http://['])
    assert.equal(given(value, 'http://127.0.0.1:4010'), value);
});
