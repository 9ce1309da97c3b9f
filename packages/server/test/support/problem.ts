import assert from 'node:assert/strict';
import { ERRORS, type ErrorCode } from '@patchbay/connectors';
import { at, type TestAnswer } from './http-client.ts';

/** Asserts that an answer is the problem of that code, complete as the wire contract wants it. */
export function assertProblem(answer: TestAnswer, code: ErrorCode): void {
  const told = `${answer.status} ${answer.text}`;
  assert.equal(at(answer, 'code'), code, told);
  const { status, summary } = ERRORS[code];
  assert.equal(answer.status, status, told);
  assert.equal(at(answer, 'status'), status);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(at(answer, 'type'), `https://patchbay.dev/errors/${code}`);
  assert.equal(at(answer, 'title'), summary);
  assert.equal(at(answer, 'message'), at(answer, 'detail'));
  assert.ok(Array.isArray(at(answer, 'errors')));
  assert.equal(typeof at(answer, 'detail'), 'string');
  assert.match(String(at(answer, 'request_id')), /^[0-9a-f-]{36}$/);
  assert.equal(answer.headers.get('x-request-id'), at(answer, 'request_id'));
  if (status === 401) assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  if (at(answer, 'retry') === 'after')
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
}

/** The fields that a problem's errors name, sorted. */
export function faultFields(answer: TestAnswer): readonly string[] {
  const errors = at(answer, 'errors');
  assert.ok(Array.isArray(errors), answer.text);
  return errors.map((_, index) => String(at(answer, `errors.${index}.field`))).toSorted();
}
