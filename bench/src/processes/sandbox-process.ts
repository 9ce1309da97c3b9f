import { startSandbox } from '@patchbay/sandbox';
import { serve } from './serve.ts';

const sandbox = await startSandbox({ scale: Number(process.env['BENCH_SCALE'] ?? 1000) });
serve({ ...sandbox.urls }, () => sandbox.close());
