import { startSandbox } from '@patchbay/sandbox';
import { serve } from './serve.ts';

/** Small accounts of Slack and Zendesk Support; files of the latter come from `BENCH_FILES`. */
const files = process.env['BENCH_FILES'] ?? '';
const sandbox = await startSandbox({ scale: Number(process.env['BENCH_SMALL_SCALE']) });
sandbox.faults.add({
  kind: 'redirect',
  method: 'GET /attachments/token/{token}',
  to: `${files}/file`,
});
const { slack, zendeskSupport } = sandbox.urls;
const ready = { slack, zendeskSupport, fileOrigins: `${sandbox.url} ${files}` };
serve(ready, () => sandbox.close());
