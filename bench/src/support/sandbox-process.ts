import { startSandbox } from '@patchbay/sandbox';

const sandbox = await startSandbox({ scale: Number(process.env['BENCH_SCALE'] ?? 1000) });
process.send?.({ ...sandbox.urls });
process.once('SIGTERM', () => void sandbox.close().then(() => process.disconnect()));
