import { ERRORS, type ErrorCode } from '@patchbay/connectors';
import { describeKind, findKind } from '@patchbay/connectors/definitions';
import type { Call, CallRow, Json, SurfaceName } from './call.ts';
import type { Failure, Outcome, WireFault } from './outcome.ts';
import { isSearchToolCall } from './surfaces/mcp.ts';

/** What a surface answers otherwise than the wire contract has it, by design. */
interface Difference {
  readonly why: string;
  /** What it answers instead of `outcome`; the very same where this does not concern it. */
  readonly expected: (outcome: Outcome, call: PlacedCall) => Outcome;
}

/** A call, and where the upstream is that it goes to. */
interface PlacedCall extends Call {
  readonly upstreamOrigin: string;
}

/** What a surface has no words for. */
interface Lack {
  readonly why: string;
  readonly concerns: (row: CallRow) => boolean;
}

const LACKS: Readonly<Record<SurfaceName, readonly Lack[]>> = {
  http: [],
  library: [
    {
      why: 'It gives whole records.',
      concerns: ({ selectFields, excludeFields }) => (selectFields ?? excludeFields) !== undefined,
    },
    {
      why: 'It keeps nothing between calls.',
      concerns: ({ idempotencyKey, operation }) =>
        idempotencyKey !== undefined || operation === 'sync',
    },
    {
      why: 'Whoever has the credentials reaches everything.',
      concerns: ({ access, target = 'own' }) =>
        access !== undefined || ['foreign', 'absent', 'paused'].includes(target),
    },
  ],
  client: [],
  cli: [
    {
      why: 'It asks for a token that may write, whatever the call.',
      concerns: ({ access }) => access !== undefined,
    },
  ],
  mcp: [
    {
      why: 'Models are to say what they need.',
      concerns: ({ excludeFields }) => excludeFields !== undefined,
    },
    {
      why: 'Syncs are the business of whoever runs the connector; sync_status tells of them.',
      concerns: ({ operation }) => operation === 'sync',
    },
  ],
};

/** Codes of one wrong name, which an answer over HTTP tells among its faults too. */
const NAMING_CODES: readonly string[] = [
  'unknown_connector_type',
  'unknown_entity',
  'unsupported_action',
];

const NAMED_ONCE = failing(
  'A wrong name is told in details alone.',
  (failure) => NAMING_CODES.includes(failure.code),
  (failure) => ({ ...failure, faults: [] }),
);

const DIFFERENCES: Readonly<Record<SurfaceName, readonly Difference[]>> = {
  http: [],
  library: [
    NAMED_ONCE,
    {
      why: 'There is no copy to search in open source mode.',
      expected: (outcome, { entity, action }) =>
        action !== 'search' || (!outcome.ok && NAMING_CODES.includes(outcome.code))
          ? outcome
          : {
              ok: false,
              code: 'search_requires_hosted_mode',
              retry: 'never',
              message: ERRORS.search_requires_hosted_mode.summary,
              faults: [],
              details: { entity, action },
            },
    },
    failing(
      'So search is not among the actions there are.',
      ({ code }) => code === 'unsupported_action',
      (failure) => {
        const { allowed, ...details } = failure.details;
        const actions = (allowed as readonly string[]).filter((name) => name !== 'search');
        const message = failure.message.replace(', search.', '.');
        return { ...failure, message, details: { ...details, allowed: actions } };
      },
    ),
    failing(
      'Where the upstream is, is an option, and no business of the operator alone.',
      ({ message }) => message.includes('cannot be reached'),
      (failure, { upstreamOrigin }) => ({
        ...failure,
        message: failure.message.replace(
          /reached\..*/,
          `reached at ${upstreamOrigin}: No connection (ECONNREFUSED). Check the network and the setting baseUrl.`,
        ),
      }),
    ),
  ],
  client: [NAMED_ONCE],
  cli: [
    NAMED_ONCE,
    {
      why: 'A file is its bytes, and beside them stands their type.',
      expected: (outcome, { action }) => {
        if (!outcome.ok || action !== 'download') return outcome;
        const { content_type, content_base64 } = outcome.value as Json;
        return { ok: true, value: { content_type, content_base64 } };
      },
    },
  ],
  mcp: [
    NAMED_ONCE,
    {
      why: 'A model repeats a call with other params, so it is told all of them.',
      expected: (outcome, { action, params }) => {
        if (!outcome.ok || action !== 'list') return outcome;
        // A list is a page, by the form of outcomes.
        const page = outcome.value as Json;
        const { next_params: next } = page;
        const whole = next && { ...given(params), ...next };
        return { ok: true, value: { ...page, next_params: whole } };
      },
    },
    failing(
      'Each fault is in its own words, and the code says what they have in common.',
      ({ faults }) => faults.length > 0,
      (failure) => ({
        ...failure,
        // Faults come with codes of the table.
        message: ERRORS[failure.code as ErrorCode].summary,
        faults: failure.faults.map(withoutErrorCode),
      }),
    ),
    failing(
      'The tool search has what are params elsewhere as its arguments.',
      ({ faults }, call) => faults.length > 0 && isSearchToolCall(call),
      (failure) => ({
        ...failure,
        faults: failure.faults.map((fault) => ({
          ...fault,
          field: fault.field.replace(/^params\./, ''),
        })),
      }),
    ),
    failing(
      'Entity and action stand in the call that the model just made.',
      () => true,
      (failure) => {
        const { entity: _entity, action: _action, ...details } = failure.details;
        return { ...failure, details };
      },
    ),
    failing(
      'A search of what has no copy is told what has one.',
      ({ code }, call) => code === 'unsupported_action' && isSearchToolCall(call),
      (failure, { kind, entity }) => {
        const allowed = describeKind(findKind(kind))
          .entities.filter(({ searchable }) => searchable.length > 0)
          .map(({ name }) => name);
        return {
          ...failure,
          message: `"${entity}" cannot be searched; these can: ${allowed.join(', ')}.`,
          details: { ...failure.details, allowed },
        };
      },
    ),
    failing(
      'Whoever set the tools up hears how to allow writes.',
      ({ code }) => code === 'forbidden',
      (failure, { entity, action }) => ({
        ...failure,
        message: `These tools only read, so ${entity}.${action} was refused. Whoever set them up can allow writes: patchbay mcp --allow-writes, allowWrites in code, or a token with access "write".`,
      }),
    ),
  ],
};

/** Why a surface does not make a call; `undefined` where it does. */
export function whyNot(surface: SurfaceName, row: CallRow): string | undefined {
  return row.notBy?.[surface] ?? LACKS[surface].find(({ concerns }) => concerns(row))?.why;
}

/** What a surface is to answer where the service, over HTTP, answers `reference`. */
export function expectedOf(surface: SurfaceName, call: PlacedCall, reference: Outcome): Outcome {
  return DIFFERENCES[surface].reduce((outcome, { expected }) => expected(outcome, call), reference);
}

function failing(
  why: string,
  concerns: (failure: Failure, call: PlacedCall) => boolean,
  expected: (failure: Failure, call: PlacedCall) => Failure,
): Difference {
  return {
    why,
    expected: (outcome, call) =>
      outcome.ok || !concerns(outcome, call) ? outcome : expected(outcome, call),
  };
}

/** The params that are given: a null one is absent. */
function given(params: unknown): Json {
  const entries = Object.entries(params ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(entries);
}

function withoutErrorCode(fault: WireFault): WireFault {
  const { error_code: _, ...told } = fault;
  return told;
}
