import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, inspect } from 'node:util';
import { Secret, withoutSecrets } from './secret.ts';

test('a secret prints as [secret] everywhere, and reveals itself when asked', () => {
  const secret = new Secret('Bearer hush-hush');
  assert.equal(secret.reveal(), 'Bearer hush-hush');
  const printed = [
    String(secret),
    JSON.stringify({ secret }),
    inspect(secret, { depth: Infinity, showHidden: true }),
    inspect({ nested: [secret] }, { depth: Infinity }),
    format('%s %o %j', secret, secret, secret),
  ];
  for (const text of printed) {
    assert.ok(text.includes('[secret]'), text);
    assert.ok(!text.includes('hush'), text);
  }
  assert.deepEqual(Object.keys(secret), []);
  assert.ok(!JSON.stringify(structuredClone(secret)).includes('hush'));
});

test('a secret is taken out of a text: whole, without its scheme, and as JSON spells it', () => {
  const secret = new Secret('Bearer hush"hush\\c');
  assert.equal(secret.redact('x Bearer hush"hush\\c y'), 'x [secret] y');
  assert.equal(secret.redact('x hush"hush\\c y'), 'x [secret] y');
  assert.equal(secret.redact(JSON.stringify({ said: 'hush"hush\\c' })), '{"said":"[secret]"}');
  assert.equal(secret.redact('nothing of it'), 'nothing of it');
});

test('a secret is taken out as URLs and forms spell it', () => {
  const value = "hush+of/the (hush)='é\ud800";
  const spellings = [
    "hush%2Bof%2Fthe%20(hush)%3D'%C3%A9%EF%BF%BD",
    "hush%2bof%2fthe%20(hush)%3d'%c3%a9%ef%bf%bd",
    'hush%2Bof%2Fthe+%28hush%29%3D%27%C3%A9%EF%BF%BD',
    'hush%2bof%2fthe+%28hush%29%3d%27%c3%a9%ef%bf%bd',
  ];
  for (const secret of [new Secret(`Bearer ${value}`), new Secret('', [value])])
    for (const spelling of spellings)
      assert.equal(secret.redact(`a=1&secret=${spelling}&b`), 'a=1&secret=[secret]&b');
});

test('what a secret hides in an encoding is taken out too', () => {
  const secret = new Secret('Basic aHVzaC1odXNo', ['user:hush-hush', 'hush-hush']);
  assert.equal(secret.redact('x aHVzaC1odXNo y'), 'x [secret] y');
  assert.equal(secret.redact('x user:hush-hush y'), 'x [secret] y');
  assert.equal(secret.redact('x hush-hush y'), 'x [secret] y');
});

test('a secret is taken out of the origin of a URL, which is in small letters', () => {
  const { origin } = new URL('https://Hush-HUSH-1.example:444/Hush-HUSH-1');
  for (const secret of [new Secret('Bearer Hush-HUSH-1'), new Secret('', ['Hush-HUSH-1'])])
    assert.equal(secret.redactOrigin(origin), 'https://[secret].example:444');
  assert.equal(new Secret('Bearer hush').redactOrigin(origin), origin);
});

test('of several secrets each is taken out', () => {
  const secrets = [new Secret('Bearer the-first'), new Secret('Bearer the-second')];
  assert.equal(withoutSecrets(secrets, 'the-second, the-first'), '[secret], [secret]');
  assert.equal(withoutSecrets([], 'the-first'), 'the-first');
});

test('a value of a few characters is left in, since it may be part of any word', () => {
  const secret = new Secret('Bearer error');
  assert.equal(
    secret.redact('{"ok":false,"error":"fatal_error"}'),
    '{"ok":false,"error":"fatal_error"}',
  );
});
