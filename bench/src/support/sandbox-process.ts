import { startSandbox } from '@patchbay/sandbox';

const sandbox = await startSandbox({ scale: 1000 });
process.send?.({ slack: sandbox.urls.slack });
process.once('SIGTERM', () => void sandbox.close().then(() => process.disconnect()));
