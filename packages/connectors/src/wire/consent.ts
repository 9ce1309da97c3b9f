import { Type } from 'typebox';
import { text, type Wire } from './shape.ts';

/** Where to send a person whose consent is asked for. */
export const RequestedConsent = Type.Object({
  consent_url: text('An address of this service, which goes on to the vendor.'),
});
export type RequestedConsent = Wire<typeof RequestedConsent>;
