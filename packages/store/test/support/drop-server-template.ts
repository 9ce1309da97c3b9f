/** `.ci/test` runs it at the end of a run whose databases were on the server of `TEST_DATABASE_URL`. */
import { dropServerTemplate } from './server-template.ts';

const { TEST_DATABASE_URL: url } = process.env;
if (url === undefined) throw new Error('TEST_DATABASE_URL is missing: .ci/test runs this');
await dropServerTemplate(url);
