import { Applications } from '../access/applications.ts';
import { Gate } from '../access/gate.ts';
import { OperatorKey } from '../access/operator-key.ts';
import { RevokedTokens } from '../access/revoked-tokens.ts';
import { SigningKeys } from '../access/signing-keys.ts';
import { Tokens } from '../access/tokens.ts';
import { ConsoleSessions } from '../console/console-sessions.ts';
import { StartLink } from '../console/start-link.ts';
import { MasterKeyRotation } from '../vault/master-key-rotation.ts';
import { openVault } from '../vault/open-vault.ts';
import type { Basis } from './basis.ts';
import type { ServiceOptions } from './contract.ts';

/** The keys of a service, and who gets in. */
export type AccessParts = Awaited<ReturnType<typeof openAccess>>;

/** @throws ServiceError `master_key_wrong`. */
export async function openAccess(options: ServiceOptions, basis: Basis) {
  const { store, clock, logger, onRefreshError } = basis;
  const { masterKey, oldMasterKey } = options;
  const keys = { store, clock, masterKey, oldMasterKey, onRefreshError };
  const { vault, keyring, inForce } = await openVault(keys);
  const masterKeys = new MasterKeyRotation({ store, keyring, inForce, clock, logger });
  await masterKeys.tellOfMissing();
  const operator =
    options.operatorKey === undefined
      ? undefined
      : {
          key: new OperatorKey(options.operatorKey, clock),
          digest: vault.digest('operator-key', options.operatorKey),
        };
  const applications = new Applications({ store, clock, onRefreshError });
  const signingKeys = new SigningKeys({ store, vault, clock, onRefreshError });
  const tokens = new Tokens(signingKeys, clock, operator?.digest);
  const revokedTokens = new RevokedTokens({ store, tokens, clock, onRefreshError });
  const gate = new Gate({ tokens, applications, revokedTokens, operatorKey: operator?.key });
  const startLink = new StartLink(clock);
  const consoleSessions = new ConsoleSessions({
    store,
    applications,
    tokens,
    operator,
    link: startLink,
    clock,
  });
  return {
    vault,
    keyring,
    inForce,
    masterKeys,
    signingKeys,
    applications,
    tokens,
    revokedTokens,
    gate,
    consoleSessions,
    /** Signs the operator in; nobody where there is none. */
    startLink: operator && startLink,
  };
}
