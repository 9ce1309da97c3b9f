import { requestOf, type Call } from './run-call.ts';

/** The same call in the words of a shell or a program, with the credentials left to whoever runs it. */
export const SNIPPETS = {
  curl: curlOf,
  TypeScript: typeScriptOf,
  CLI: cliOf,
} as const satisfies Readonly<Record<string, (call: Call, baseUrl: string) => string>>;

export type SnippetName = keyof typeof SNIPPETS;

function curlOf(call: Call, baseUrl: string): string {
  const { path, body } = requestOf(call);
  return [
    `curl -sS ${quoted(baseUrl + path)}`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n');
}

function typeScriptOf({ connectorId, entity, action, params }: Call, baseUrl: string): string {
  return `import { Patchbay } from '@patchbay/client';

// PATCHBAY_CLIENT_ID, PATCHBAY_CLIENT_SECRET and PATCHBAY_EXTERNAL_USER_ID say on whose behalf.
const patchbay = new Patchbay({ baseUrl: ${JSON.stringify(baseUrl)} });
const connector = await patchbay.connector(${JSON.stringify(connectorId)});
const result = await connector.execute(
  ${JSON.stringify(entity)},
  ${JSON.stringify(action)},
  ${JSON.stringify(params, null, 2).replaceAll('\n', '\n  ')},
);
`;
}

function cliOf({ connectorId, entity, action, params }: Call, baseUrl: string): string {
  return [
    `echo ${quoted(JSON.stringify(params))} |`,
    `  PATCHBAY_BASE_URL=${quoted(baseUrl)} patchbay execute ${entity} ${action}`,
    `  --connector ${connectorId} --params -`,
  ].join(' \\\n');
}

/** A text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
