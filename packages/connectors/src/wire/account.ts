import { Type } from 'typebox';
import { text, textOrNull, type Wire } from './shape.ts';

/** Whose the credentials of a connector are. */
export const Account = Type.Object({
  id: text("The vendor's id of the account."),
  name: textOrNull('What people call it, where the vendor says so.'),
  principal: text("The vendor's id of the person or bot that the credentials stand for."),
});
export type Account = Wire<typeof Account>;
