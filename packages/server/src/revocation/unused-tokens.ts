import type { Clock } from '@patchbay/connectors';
import { isRevocable } from '@patchbay/connectors/engine';
import type { Store } from '@patchbay/store';
import type { DiscardedTokens } from '../consent/consent-ending.ts';
import { newUuid } from '../uuid.ts';
import { sealCredentials } from '../vault/connector-credentials.ts';
import type { Vault } from '../vault/vault.ts';

export interface UnusedTokensParts {
  readonly store: Pick<Store, 'revocations' | 'connectSessions'>;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** Sees to it that tokens are revoked that a person consented to and that no connector got. */
export class UnusedTokens {
  readonly #parts: UnusedTokensParts;

  constructor(parts: UnusedTokensParts) {
    this.#parts = parts;
  }

  /** Puts them, sealed, to what is to be revoked; whoever revokes finds out whether somebody else needs them. */
  async discard({ consent, credentials }: DiscardedTokens): Promise<void> {
    const { store, vault, clock } = this.#parts;
    const { applicationId, kind, config } = consent;
    if (!isRevocable(kind, credentials.method, { isConsented: true })) return;
    // With the id that they were for it can be told whether that connector has them after all.
    const connectorId = (await this.#promisedIdOf(consent)) ?? newUuid(clock.now());
    const sealing = { vault, clock, kind, connectorId };
    const { authMethod, sealedCredentials } = await sealCredentials(sealing, credentials);
    await store.revocations.add({
      connectorId,
      applicationId,
      kind: kind.kind,
      config,
      authMethod,
      sealedCredentials,
      account: null,
    });
  }

  async #promisedIdOf({ purpose }: DiscardedTokens['consent']): Promise<string | undefined> {
    if (purpose.for === 'connector') return purpose.connectorId;
    const session = await this.#parts.store.connectSessions.find(purpose.sessionId);
    return session?.connectorId;
  }
}
