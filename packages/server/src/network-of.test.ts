import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWithin, networkOf } from './network-of.ts';

const NETWORKS = {
  '192.0.2.7': '192.0.2.7',
  '::ffff:192.0.2.7': '192.0.2.7',
  '::FFFF:c000:0207': '192.0.2.7',
  '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
  '2001:0DB8:1:2::': '2001:db8:1:2::/64',
  '2001:db8::1': '2001:db8:0:0::/64',
  'fe80::1%eth0': 'fe80:0:0:0::/64',
  '::1': '0:0:0:0::/64',
  '::': '0:0:0:0::/64',
  '64:ff9b::192.0.2.7': '64:ff9b:0:0::/64',
  // As proxies pass them on that write the port as well.
  '192.0.2.7:5000': '192.0.2.7',
  '::ffff:192.0.2.7:5000': '192.0.2.7',
  '[::ffff:192.0.2.7]:5000': '192.0.2.7',
  '[2001:db8::1]:5000': '2001:db8:0:0::/64',
  '[2001:db8::1]': '2001:db8:0:0::/64',
  unknown: 'unknown',
  '': '',
};

for (const [address, network] of Object.entries(NETWORKS))
  test(`"${address}" counts as ${network}`, () => {
    assert.equal(networkOf(address), network);
  });

const TRUSTED = ['10.0.0.0/8', '192.168.1.7', 'fd00::/8', '2001:db8::1'];

for (const address of [
  '10.1.2.3',
  '10.1.2.3:4444',
  '::ffff:10.1.2.3',
  '192.168.1.7',
  'fd12::7',
  '[fd12::7]:4444',
  '2001:0db8:0::1',
])
  test(`${address} is of a trusted network`, () => {
    assert.ok(isWithin(TRUSTED)(address));
  });

for (const address of [
  '11.1.2.3',
  '192.168.1.8:4444',
  'fe80::1%eth0',
  '2001:db8::2',
  'unknown',
  '',
])
  test(`"${address}" is of none`, () => {
    assert.ok(!isWithin(TRUSTED)(address));
  });
