import { systemClock } from '@patchbay/connectors/engine';
import { openStore, type Store } from '@patchbay/store';
import { makeLogger } from '../../src/log.ts';
import { MasterKeyRotation } from '../../src/vault/master-key-rotation.ts';
import { openVault } from '../../src/vault/open-vault.ts';

/** A rotation in a process of its own, to be killed; it says how much it has sealed: `<data folder> <new key> <old key>`. */
const [dataFolder = '', newKey = '', oldKey = ''] = process.argv.slice(2);

const store = await openStore({ dataFolder });
let resealed = 0;
const reseal: Store['sealedValues']['reseal'] = async (...args) => {
  const isDone = await store.sealedValues.reseal(...args);
  process.send?.(++resealed);
  return isDone;
};
const { keyring, inForce } = await openVault({
  store,
  clock: systemClock,
  masterKey: Buffer.from(newKey, 'hex'),
  oldMasterKey: Buffer.from(oldKey, 'hex'),
  onRefreshError: (error) => {
    throw error;
  },
});
await new MasterKeyRotation({
  store: { ...store, sealedValues: { ...store.sealedValues, reseal } },
  keyring,
  inForce,
  clock: systemClock,
  logger: makeLogger({ level: 'silent' }),
}).step();
