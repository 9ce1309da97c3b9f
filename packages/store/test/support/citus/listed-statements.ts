const EVERY_NODE =
  'Every node has organizations and applications, so that connectors refer to them.';
const LISTS = 'The connectors of an application are on all nodes.';
const CLEAN_UP = 'Clean-up of all connectors, again and again, in the background.';
const KEYS = 'The operator asks what is sealed with which key, or seals all of it anew.';

/** Functions of the store whose statements need more than one node, as `file function`, and why that is right. */
export const LISTED_STATEMENTS: Readonly<Record<string, string>> = {
  'statements/organizations.ts createOrganization': EVERY_NODE,
  'statements/applications.ts ensureApplication': EVERY_NODE,
  'statements/applications.ts createApplication': EVERY_NODE,
  'statements/applications.ts updateApplication': EVERY_NODE,
  'statements/applications.ts revokeApplication': EVERY_NODE,
  'statements/applications.ts deleteApplication': EVERY_NODE,
  'statements/connectors.ts listConnectors': LISTS,
  'statements/connectors.ts listExternalUsers': LISTS,
  'statements/delete-connectors.ts findSome': LISTS,
  'statements/deletions.ts ofConnectors': LISTS,
  'statements/deletions.ts ofApplication': LISTS,
  'statements/require-room.ts requireRoom':
    'Before a connector is made, those of its user and its application are counted.',
  'statements/renewals.ts dueRenewals':
    'Credentials that end soon, of all connectors, looked for in the background.',
  'statements/revocations.ts isAccountHeld':
    'Before credentials are revoked upstream: whether another connector uses the account.',
  'statements/revocations.ts isTokenHeld':
    'Before a token is revoked upstream: whether another connector has it, too.',
  'statements/applications.ts listUncleared': CLEAN_UP,
  'statements/connect-sessions.ts findMade': CLEAN_UP,
  'statements/idempotency-keys.ts deleteIdempotencyKeysOlderThan': CLEAN_UP,
  'statements/oauth-apps.ts deleteOAuthAppsOfDeleted': CLEAN_UP,
  'statements/sealed-values.ts countSealed': KEYS,
  'statements/sealed-values.ts listSealedUnlike': KEYS,
  'sync/standings.ts listStandings':
    'How the connectors of a list stand; that of one connector goes to its node.',
  'statements/figures.ts readFigures': 'Metrics: figures of the whole service.',
};
