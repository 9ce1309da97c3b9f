import { Type } from 'typebox';
import { KeyRotation, KeysInUse, NewSigningKey } from '@patchbay/connectors/wire';
import type { SigningKeys } from '../access/signing-keys.ts';
import { checkBody, FaultList } from '../operations/input.ts';
import type { MasterKeyRotation } from '../vault/master-key-rotation.ts';
import { requireBody } from './require-body.ts';
import type { Answer, Call, Route } from './route.ts';
import { ref } from './schemas.ts';

interface KeyRouteParts {
  readonly masterKeys: MasterKeyRotation;
  readonly signingKeys: SigningKeys;
}

const SIGNING_MEMBERS = {
  revoke_tokens: { schema: Type.Boolean(), isRequired: false, expects: 'true or false' },
} as const;

/** @see docs/wire.md#keys */
export function keyRoutes(parts: KeyRouteParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/keys',
      reach: 'operation',
      doc: {
        summary: 'The keys in use, by their ids, and how much is sealed with each',
        tag: 'Operation',
        answer: KeysInUse,
      },
      handle: () => tellKeys(parts),
    },
    {
      method: 'POST',
      path: '/v1/keys/rotate',
      reach: 'operation',
      doc: {
        summary:
          'Seal some of what is sealed with another master key anew; again, until none is left',
        tag: 'Operation',
        answer: KeyRotation,
      },
      handle: () => rotate(parts),
    },
    {
      method: 'POST',
      path: '/v1/keys/signing/rotate',
      reach: 'operation',
      doc: {
        summary:
          'Sign tokens with another key from now on; those of the keys before live on, unless revoked',
        tag: 'Operation',
        body: ref('SigningKeyRotation'),
        answer: NewSigningKey,
      },
      handle: (call) => replaceSigningKey(parts, call),
    },
  ];
}

async function tellKeys({ masterKeys, signingKeys }: KeyRouteParts): Promise<Answer> {
  const [uses, signing] = [await masterKeys.masterKeys(), await signingKeys.list()];
  return {
    status: 200,
    body: {
      master_keys: uses.map(({ id, isInForce, isKnown, sealed }) => ({
        id,
        in_force: isInForce,
        known: isKnown,
        sealed,
      })),
      signing_keys: signing.map(({ id, ageMs, signs }) => ({
        id,
        age_seconds: Math.max(0, Math.floor(ageMs / 1000)),
        signs,
      })),
    },
  };
}

async function rotate({ masterKeys }: KeyRouteParts): Promise<Answer> {
  const { key, lackedBy, resealed, left, unreadable } = await masterKeys.step();
  return { status: 200, body: { key, lacked_by: lackedBy, resealed, left, unreadable } };
}

async function replaceSigningKey({ signingKeys }: KeyRouteParts, call: Call): Promise<Answer> {
  const faults = new FaultList();
  const { revoke_tokens: endsOthers } = checkBody(SIGNING_MEMBERS, requireBody(call), faults);
  faults.throwAny();
  return {
    status: 200,
    body: { id: await signingKeys.replace({ endsOthers: endsOthers === true }) },
  };
}
