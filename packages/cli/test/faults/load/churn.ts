import { at, textAt } from '../json.ts';
import { pause } from '../pause.ts';
import type { Caller } from './caller.ts';
import { COLLECTION, connectorCall } from './tenant.ts';

const PAUSE_MS = 400;
/** So many are kept before the oldest goes. */
const KEPT = 3;
/** The sandbox refuses it, so that these connectors cost one request each. */
const REFUSED_TOKEN = 'invalid-demo';

/** Connectors that come and go. */
export class Churn {
  /** Those whose creation was acknowledged, and whose deletion nobody has asked for. */
  readonly kept: string[] = [];
  /** Those whose deletion was acknowledged. */
  readonly deleted: string[] = [];
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const reply = await this.#caller.call(connectorCall('customer-messaging', {}, REFUSED_TOKEN));
      if (reply?.status === 201) this.kept.push(textAt(reply.body, 'id'));
      if (this.kept.length > KEPT) await this.#deleteOldest();
      await pause(PAUSE_MS);
    }
  }

  async #deleteOldest(): Promise<void> {
    const id = this.kept.shift();
    if (id === undefined) return;
    const reply = await this.#caller.call({
      name: 'delete a connector',
      method: 'DELETE',
      path: `${COLLECTION}/${id}`,
      // Where an earlier attempt had no answer.
      expects: ['connector_not_found'],
    });
    if (reply?.status === 202 || at(reply?.body, 'code') === 'connector_not_found')
      this.deleted.push(id);
  }
}
