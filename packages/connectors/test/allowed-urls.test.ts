import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  isLoopbackHost,
  MAX_URL,
  ORIGIN_EXPECTS,
  parseOrigin,
  parseReturnUrl,
  readAllowedOrigin,
  readAllowedReturnUrl,
  RETURN_URL_EXPECTS,
} from '@patchbay/connectors/wire';

describe('origins and return URLs', () => {
  test('origins are read as browsers write them', () => {
    const cases: Readonly<Record<string, string | undefined>> = {
      'https://app.example.com': 'https://app.example.com',
      'HTTPS://App.Example.COM:443': 'https://app.example.com',
      'https://app.example.com:8443': 'https://app.example.com:8443',
      'http://localhost:3000': 'http://localhost:3000',
      'http://[::1]:3000': 'http://[::1]:3000',
      'http://127.1': 'http://127.0.0.1',
      'http://app.example.com': undefined,
      'http://localhost.example.com': undefined,
      'http://127.0.0.1.example.com': undefined,
      'https://app.example.com/': undefined,
      'https://app.example.com/path': undefined,
      'https://app.example.com?': undefined,
      'https://app.example.com#': undefined,
      'https://user@app.example.com': undefined,
      'https://@app.example.com': undefined,
      'https://:@app.example.com': undefined,
      'https://*.example.com': undefined,
      'https:app.example.com': undefined,
      'https:///app.example.com': undefined,
      'https:\\\\app.example.com': undefined,
      ' https://app.example.com': undefined,
      'https://app.exa\tmple.com': undefined,
      'https://app.example.com\n': undefined,
      'https://äpp.example.com': undefined,
      'javascript:alert(1)': undefined,
      'myapp://callback': undefined,
      null: undefined,
      '': undefined,
      '*': undefined,
    };
    for (const [text, expected] of Object.entries(cases))
      assert.equal(parseOrigin(text), expected, JSON.stringify(text));
  });

  test('return URLs have neither a fragment nor a user, and lead to https or the machine itself', () => {
    const good = [
      'https://app.example.com',
      'https://app.example.com/a/b?c=d',
      'https://app.example.com/a?at=a@b.example',
      'http://localhost/back',
      'http://app.localhost/back',
      `https://app.example.com/${'a'.repeat(MAX_URL - 24)}`,
    ];
    for (const text of good) assert.ok(parseReturnUrl(text), text);
    const bad = [
      'http://app.example.com/back',
      'https://app.example.com/back#',
      'https://app.example.com/back#part',
      'https://user:secret@app.example.com/back',
      'https://@app.example.com/back',
      'https://app.example.com\\@evil.example/back',
      'https://app.example.com/ba ck',
      'https://app.example.com/back\r\nx: y',
      '//app.example.com/back',
      '/back',
      'data:text/html,x',
      'https://',
      'https://app.example.com:99999/back',
      `https://app.example.com/${'a'.repeat(MAX_URL - 23)}`,
    ];
    for (const text of bad) assert.equal(parseReturnUrl(text), undefined, text);
  });

  test('entries of lists are kept as browsers write them, or said what they must be', () => {
    assert.deepEqual(readAllowedOrigin('HTTPS://App.example.com:443'), {
      value: 'https://app.example.com',
    });
    assert.deepEqual(readAllowedOrigin('app.example.com'), { expects: ORIGIN_EXPECTS });
    assert.deepEqual(readAllowedReturnUrl('https://app.example.com'), {
      value: 'https://app.example.com/',
    });
    assert.deepEqual(readAllowedReturnUrl('http://app.example.com/'), {
      expects: RETURN_URL_EXPECTS,
    });
    const query = readAllowedReturnUrl('https://app.example.com/?tenant=1');
    assert.match('expects' in query ? query.expects : '', /without a query/);
  });

  test('loopback hosts are known in all their spellings, and no others', () => {
    for (const host of [
      'localhost',
      'LOCALHOST',
      'app.localhost',
      '127.0.0.1',
      '127.8.9.1',
      '::1',
      '[::1]',
    ])
      assert.ok(isLoopbackHost(host), host);
    for (const host of [
      '0.0.0.0',
      '::',
      '',
      'localhost.example.com',
      'notlocalhost',
      '128.0.0.1',
      '127.0.0.1.example.com',
      '10.0.0.1',
    ])
      assert.ok(!isLoopbackHost(host), host);
  });
});
