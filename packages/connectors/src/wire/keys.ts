import { Type } from 'typebox';
import { text, textOrNull, uuid, type Wire } from './shape.ts';

const KEY_ID = '16 hex digits, made of the key.';

/** What is sealed with a master key. */
export const MasterKeyUse = Type.Object({
  id: textOrNull(`${KEY_ID} Null for what was sealed before keys had ids.`),
  in_force: Type.Boolean({ description: 'What is sealed from now on is sealed with it.' }),
  known: Type.Boolean({ description: 'The process that answers has it.' }),
  sealed: Type.Integer({ minimum: 0, description: 'How many values are sealed with it.' }),
});
export type MasterKeyUse = Wire<typeof MasterKeyUse>;

/** A key that signs tokens, or has signed some that may still live. */
export const SigningKeyUse = Type.Object({
  id: uuid(),
  age_seconds: Type.Integer({ minimum: 0 }),
  signs: Type.Boolean({ description: 'It is the newest.' }),
});
export type SigningKeyUse = Wire<typeof SigningKeyUse>;

/** The keys in use. No answer has a key itself. */
export const KeysInUse = Type.Object({
  master_keys: Type.Array(MasterKeyUse, {
    description: 'First the one that `PATCHBAY_MASTER_KEY` gives.',
  }),
  signing_keys: Type.Array(SigningKeyUse, { description: 'Newest first.' }),
});
export type KeysInUse = Wire<typeof KeysInUse>;

/** What one step of a rotation came to. */
export const KeyRotation = Type.Object({
  key: text(`The key that everything is to be sealed with. ${KEY_ID}`),
  lacked_by: Type.Integer({
    minimum: 0,
    description: 'Running processes that do not have it; nothing is done before there are none.',
  }),
  resealed: Type.Integer({ minimum: 0, description: 'Values sealed with it by this step.' }),
  left: Type.Integer({ minimum: 0, description: 'Values that are sealed with another known key.' }),
  unreadable: Type.Integer({ minimum: 0, description: 'Values that no known key opens.' }),
});
export type KeyRotation = Wire<typeof KeyRotation>;

/** The key that signs from now on. */
export const NewSigningKey = Type.Object({ id: uuid() });
export type NewSigningKey = Wire<typeof NewSigningKey>;
