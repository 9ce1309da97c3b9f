import { looksReal as looksRealIntercom } from './intercom/credentials.ts';
import type { OAuthVendor } from './sandbox-oauth.ts';
import { looksReal as looksRealSlack } from './slack/credentials.ts';
import { looksReal as looksRealZendesk } from './zendesk-support/credentials.ts';

/** Zendesk's products have tokens of the same forms. */
const FORMS: Readonly<Record<OAuthVendor, (token: string) => boolean>> = {
  slack: looksRealSlack,
  intercom: looksRealIntercom,
  zendeskChat: looksRealZendesk,
  zendeskSupport: looksRealZendesk,
};

/**
 * Whether a text has the exact form of a real token of a vendor. The sandbox refuses every call with
 * such a token; whoever puts a sandbox in the place of the vendor can say so before a call is made.
 */
export function looksReal(vendor: OAuthVendor, token: string): boolean {
  return FORMS[vendor](token);
}
