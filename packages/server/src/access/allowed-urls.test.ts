import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faultsOf, isConnectorError } from '@patchbay/connectors';
import { requireAllowedOrigin, requireAllowedReturnUrl } from './allowed-urls.ts';

const PUBLIC = { isLoopbackService: false };
const LOOPBACK = { isLoopbackService: true };

const application = {
  allowedOrigins: ['https://app.example.com', 'http://localhost:3000'],
  allowedReturnUrls: ['https://app.example.com/connected', 'http://127.0.0.1:3000/back'],
};
const none = { allowedOrigins: [], allowedReturnUrls: [] };

function allowedOrigin(text: string): string {
  return requireAllowedOrigin(application, text, PUBLIC);
}

function hrefOf(text: string): string {
  return requireAllowedReturnUrl(application, text, PUBLIC).href;
}

function isRefusedAt(field: string): (error: unknown) => boolean {
  return (error) =>
    isConnectorError(error, 'invalid_request') &&
    faultsOf(error).length === 1 &&
    faultsOf(error)[0]?.field === field;
}

describe('the URLs that an application may use', () => {
  test('a listed return URL is matched by scheme, host, port and path; its query is free', () => {
    const good = {
      'https://app.example.com/connected': 'https://app.example.com/connected',
      'https://app.example.com/connected?tenant=1': 'https://app.example.com/connected?tenant=1',
      'HTTPS://APP.example.com:443/connected': 'https://app.example.com/connected',
      'https://app.example.com/x/../connected': 'https://app.example.com/connected',
      'http://127.0.0.1:3000/back': 'http://127.0.0.1:3000/back',
    };
    for (const [text, expected] of Object.entries(good)) assert.equal(hrefOf(text), expected);
    const bad = [
      'https://app.example.com/connected/',
      'https://app.example.com/connected/more',
      'https://app.example.com/Connected',
      'https://app.example.com/',
      'https://app.example.com:8443/connected',
      'https://evil.example/connected',
      'https://app.example.com.evil.example/connected',
      'https://evil.example/?https://app.example.com/connected',
      'http://127.0.0.1:3001/back',
      'http://localhost:3000/back',
      'https://app.example.com/connected/%2e%2e/other',
      'https://app.example.com/connected#x',
    ];
    for (const text of bad) assert.throws(() => hrefOf(text), isRefusedAt('return_url'), text);
    // Whatever the service listens on, a list is the whole list.
    assert.throws(
      () => requireAllowedReturnUrl(application, 'http://localhost/', LOOPBACK),
      isRefusedAt('return_url'),
    );
  });

  test('the query of a listed URL does not count', () => {
    const listed = { allowedReturnUrls: ['https://app.example.com/connected?tenant=1'] };
    const { href } = requireAllowedReturnUrl(
      listed,
      'https://app.example.com/connected?t=2',
      PUBLIC,
    );
    assert.equal(href, 'https://app.example.com/connected?t=2');
  });

  test('an origin must be on the list exactly', () => {
    assert.equal(allowedOrigin('https://app.example.com'), 'https://app.example.com');
    assert.equal(allowedOrigin('https://APP.example.com:443'), 'https://app.example.com');
    assert.equal(allowedOrigin('http://localhost:3000'), 'http://localhost:3000');
    for (const text of [
      'https://app.example.com:8443',
      'https://www.app.example.com',
      'http://localhost',
      'https://localhost:3000',
      'https://app.example.com/',
      'null',
      '*',
    ])
      assert.throws(() => allowedOrigin(text), isRefusedAt('origin'), text);
  });

  test('an empty list allows loopback addresses, on a service that listens on loopback only', () => {
    const url = 'http://localhost:3000/back';
    assert.equal(requireAllowedReturnUrl(none, url, LOOPBACK).href, url);
    assert.equal(
      requireAllowedOrigin(none, 'http://127.0.0.1:3000', LOOPBACK),
      'http://127.0.0.1:3000',
    );
    assert.throws(() => requireAllowedReturnUrl(none, url, PUBLIC), isRefusedAt('return_url'));
    assert.throws(
      () => requireAllowedOrigin(none, 'http://localhost:3000', PUBLIC),
      isRefusedAt('origin'),
    );
    for (const isLoopbackService of [true, false]) {
      const options = { isLoopbackService };
      assert.throws(
        () => requireAllowedReturnUrl(none, 'https://app.example.com/', options),
        isRefusedAt('return_url'),
      );
      assert.throws(
        () => requireAllowedOrigin(none, 'https://app.example.com', options),
        isRefusedAt('origin'),
      );
    }
  });

  test('the error names the member that was given, and does not quote the URL', () => {
    const options = { ...PUBLIC, field: 'branding.logo_url' };
    const url = 'https://evil.example/?token=top-secret';
    assert.throws(() => requireAllowedReturnUrl(application, url, options), {
      message: /^(?!.*top-secret).*branding\.logo_url must be one of/,
    });
  });
});
