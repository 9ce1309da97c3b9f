import { executeBody, executePath, type Call } from '../../service/execute.ts';

/** Where a call is made, beyond what it says itself. */
export interface SnippetPlace {
  readonly baseUrl: string;
  /** The kind of the connector, by its name. */
  readonly kind: string;
  readonly externalUserId: string;
  readonly writes: boolean;
}

/** How the same call is made elsewhere; none has a credential in it. */
export interface Snippet {
  readonly name: string;
  readonly text: string;
}

/** A call for a shell, for TypeScript and for the command line. */
export function snippetsOf(call: Call, place: SnippetPlace): readonly Snippet[] {
  return [
    { name: 'curl', text: curlOf(call, place) },
    { name: 'TypeScript', text: typeScriptOf(call, place) },
    { name: 'CLI', text: commandOf(call, place) },
  ];
}

function curlOf(call: Call, { baseUrl, writes }: SnippetPlace): string {
  return [
    `curl -sS -X POST ${quoted(baseUrl + executePath(call))}`,
    '-H "Authorization: Bearer $PATCHBAY_TOKEN"',
    "-H 'Content-Type: application/json'",
    ...(writes ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    `-d ${quoted(JSON.stringify(executeBody(call)))}`,
    // Otherwise a file comes as its bytes.
    ...(call.action === 'download' ? ['-o file'] : []),
  ].join(' \\\n  ');
}

function typeScriptOf(call: Call, { baseUrl, kind, externalUserId }: SnippetPlace): string {
  const { connectorId, entity, action, params } = call;
  const argument = Object.keys(params).length === 0 ? '' : JSON.stringify(params, null, 2);
  return `import { Patchbay } from '@patchbay/client';

// PATCHBAY_CLIENT_ID and PATCHBAY_CLIENT_SECRET are read from the environment.
const patchbay = new Patchbay({
  baseUrl: ${JSON.stringify(baseUrl)},
  externalUserId: ${JSON.stringify(externalUserId)},
});
const connector = await patchbay.connector(${JSON.stringify(connectorId)}, {
  kind: ${JSON.stringify(kind)},
});
const answer = await connector.${entity}.${action}(${argument});
`;
}

function commandOf({ connectorId, entity, action, params }: Call, place: SnippetPlace): string {
  const hasParams = Object.keys(params).length > 0;
  const command = [
    ...(hasParams ? [`printf %s ${quoted(JSON.stringify(params))} |`] : []),
    `patchbay execute ${entity} ${action} --connector ${connectorId}`,
    `--base-url ${quoted(place.baseUrl)} --external-user ${quoted(place.externalUserId)}`,
    ...(hasParams ? ['--params -'] : []),
    ...(action === 'download' ? ['--output file'] : []),
  ];
  return command.join(' \\\n  ');
}

/** As one word of a POSIX shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
