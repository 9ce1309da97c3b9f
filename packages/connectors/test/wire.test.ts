import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeKind, faultsOf, type Fault } from '@patchbay/connectors';
import { findKind } from '@patchbay/connectors/engine';
import * as wire from '@patchbay/connectors/wire';
import {
  ConnectorCheck,
  errorOfProblem,
  faultOnWire,
  hasShape,
  KindDescription,
  PROBLEM_DETAILS,
  shapeFault,
  SyncRun,
  type Problem,
} from '@patchbay/connectors/wire';

const RUN = {
  run_id: '01a1fd50-54ba-79a1-a087-6b4fef496709',
  cause: 'demand',
  state: 'running',
  requested_at: '2026-11-21T09:00:00.000Z',
  started_at: null,
  finished_at: null,
};

const PROBLEM: Problem = {
  type: 'https://patchbay.dev/errors/unknown_entity',
  title: 'The connector kind has no such entity.',
  status: 422,
  detail: 'There is no usrs.',
  code: 'unknown_entity',
  retry: 'never',
  request_id: '01a1fd50-54ba-79a1-a087-6b4fef496709',
  message: 'There is no usrs.',
  errors: [],
  details: { allowed: ['users'], did_you_mean: 'users' },
};

test('the wire exports these names, and no others: each is a promise', () => {
  assert.deepEqual(Object.keys(wire).toSorted(), [
    'Account',
    'ActionDescription',
    'Application',
    'ApplicationPage',
    'ApplicationSecret',
    'ApplicationToken',
    'AuthMethodDescription',
    'BothSearchResults',
    'ConnectKind',
    'ConnectMethod',
    'ConnectPageSession',
    'ConnectProgress',
    'ConnectSession',
    'ConnectSessionPage',
    'ConnectSetting',
    'Connector',
    'ConnectorCheck',
    'ConnectorFreshness',
    'ConnectorInspection',
    'ConnectorPage',
    'ConnectorsOfUser',
    'ConsentStart',
    'ConsentUrl',
    'ConsoleSession',
    'ConsoleToken',
    'ContextStoreSearchResult',
    'DeletedApplication',
    'DeletedConnector',
    'DeletedExternalUser',
    'EntityDescription',
    'EntityReadiness',
    'EntitySyncStatus',
    'ExecuteAnswer',
    'ExecutionMetadata',
    'Facet',
    'FieldDescription',
    'Freshness',
    'InlineFile',
    'Job',
    'KeyRotation',
    'KeysInUse',
    'KindDescription',
    'KindList',
    'LastError',
    'ListAnswer',
    'ListedApplication',
    'ListedConnectSession',
    'MAX_URL',
    'MasterKeyUse',
    'NewApplication',
    'NewApplicationSecret',
    'NewConnectSession',
    'NewSigningKey',
    'OAuthAppInfo',
    'OAuthAppList',
    'ORIGIN_EXPECTS',
    'PROBLEM_DETAILS',
    'ParamDescription',
    'Problem',
    'ProblemFault',
    'RETURN_URL_EXPECTS',
    'Readiness',
    'RequestedRun',
    'ScopedToken',
    'ScopedTokenInfo',
    'SearchAnswer',
    'SearchHit',
    'SearchResult',
    'SearchTotal',
    'SettingDescription',
    'SigningKeyUse',
    'StatFigures',
    'StatPoint',
    'Stats',
    'SyncRun',
    'SyncRunPage',
    'SyncRunReport',
    'SyncStatus',
    'TrialConnector',
    'Workspaces',
    'errorOfProblem',
    'faultOnWire',
    'hasShape',
    'isLoopbackHost',
    'parseOrigin',
    'parseReturnUrl',
    'readAllowedOrigin',
    'readAllowedReturnUrl',
    'shapeFault',
    'withLaterMembers',
  ]);
});

describe('shapes', () => {
  test('what later services add is no fault, neither a member nor a word of a list that may grow', () => {
    assert.ok(hasShape(SyncRun, { ...RUN, mood: 'fine' }));
    assert.ok(hasShape(SyncRun, { ...RUN, state: 'resting', cause: 'whim' }));
  });

  test('what is missing, of another type, or no word of a list that is closed, is a fault', () => {
    const { cause: _, ...incomplete } = RUN;
    const check = {
      id: RUN.run_id,
      status: 'succeeded',
      entity_check_results: [],
      warnings: [],
    };
    assert.ok(hasShape(ConnectorCheck, check));
    for (const [schema, value] of [
      [SyncRun, incomplete],
      [SyncRun, { ...RUN, state: null }],
      [SyncRun, { ...RUN, requested_at: 'yesterday' }],
      [SyncRun, { ...RUN, started_at: undefined }],
      [SyncRun, [RUN]],
      [SyncRun, null],
      [ConnectorCheck, { ...check, status: 'perhaps' }],
      [ConnectorCheck, { ...check, warnings: undefined }],
      [ConnectorCheck, { ...check, warnings: [{ code: 'x', message: '', ends_at: 'soon' }] }],
    ] as const)
      assert.ok(!hasShape(schema, value), JSON.stringify(value));
  });

  test('the place of a fault is told, never the value', () => {
    assert.equal(shapeFault(SyncRun, { ...RUN, state: 42 }), '/state must be string');
    assert.equal(shapeFault(SyncRun, 'a secret').includes('secret'), false);
    assert.equal(shapeFault(SyncRun, RUN), '');
  });

  test('every kind describes itself in the shape of a description', () => {
    for (const name of ['slack', 'zendesk-chat', 'intercom', 'zendesk-support']) {
      const description: unknown = JSON.parse(JSON.stringify(describeKind(findKind(name))));
      assert.equal(shapeFault(KindDescription, description), '');
    }
  });
});

describe('faults and problems', () => {
  const fault: Fault = {
    field: 'params.limit',
    errorCode: 'wrong_type',
    message: 'must be an integer from 1 to 1000, got "ten"',
    allowed: 'an integer from 1 to 1000',
  };

  test('a fault names its subject on the wire, and says the same again when it has come over', () => {
    const sent = faultOnWire(fault);
    assert.equal(sent.message, 'params.limit must be an integer from 1 to 1000, got "ten"');
    const problem = { ...PROBLEM, code: 'invalid_params', errors: [sent], details: {} };
    assert.deepEqual(faultsOf(errorOfProblem(problem)), [fault]);
  });

  test('faults as services before this one sent them are understood, and new ways to be wrong', () => {
    const { message } = fault;
    const sent = { ...faultOnWire(fault), message, error_code: 'too_blue' };
    const problem = { ...PROBLEM, code: 'invalid_params', errors: [sent], details: {} };
    assert.deepEqual(faultsOf(errorOfProblem(problem)), [{ ...fault, errorCode: 'not_allowed' }]);
  });

  test('a problem becomes the error of its code, with the details of that', () => {
    const { code, message, retry, details } = errorOfProblem(PROBLEM);
    assert.deepEqual(
      { code, message, retry },
      {
        code: 'unknown_entity',
        message: 'There is no usrs.',
        retry: 'never',
      },
    );
    assert.deepEqual(details, {
      allowed: ['users'],
      didYouMean: 'users',
      requestId: PROBLEM.request_id,
    });
  });

  test('a code of a later service keeps its words, its retry class and its faults', () => {
    const sent = [faultOnWire(fault)];
    const later: Problem = {
      ...PROBLEM,
      code: 'moon_phase_wrong',
      status: 409,
      retry: 'backoff',
      errors: sent,
      details: { moon_phase: 'full' },
    };
    const error = errorOfProblem(later);
    assert.equal(error.code, 'invalid_request');
    assert.equal(error.retry, 'backoff');
    assert.equal(error.message, 'There is no usrs. (moon_phase_wrong)');
    assert.deepEqual(faultsOf(error), [fault]);
    // Of a retry class that only later services have, nothing is known: that of the code it is.
    assert.equal(errorOfProblem({ ...PROBLEM, retry: 'at_dawn' }).retry, 'never');
    for (const [status, code] of [
      [401, 'unauthenticated'],
      [403, 'forbidden'],
      [429, 'rate_limited'],
      [500, 'internal'],
    ] as const)
      assert.equal(errorOfProblem({ ...later, status }).code, code);
  });

  test('details that are not those of the code are not passed off as such', () => {
    assert.ok(!hasShape(PROBLEM_DETAILS.unknown_entity, { allowed: 'users' }));
    const error = errorOfProblem({ ...PROBLEM, details: { allowed: 'users' } });
    assert.equal(error.code, 'invalid_request');
    assert.match(error.message, /\(unknown_entity\)$/);
  });
});
