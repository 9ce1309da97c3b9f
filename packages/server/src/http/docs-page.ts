import { describeKind, type KindDescription } from '@patchbay/connectors';
import { allKinds } from '@patchbay/connectors/engine';
import { escapeHtml as escape } from './html.ts';
import { errorTable, type OpenApi } from './openapi.ts';

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
  h2 { margin-top: 2.5rem; border-bottom: 1px solid #8886; }
  table { border-collapse: collapse; width: 100%; }
  td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8883; }
  code { font: .92em ui-monospace, monospace; }
  .verb { display: inline-block; min-width: 4rem; font-weight: 600; }
  summary { cursor: pointer; padding: .15rem 0; }
  .aside { opacity: .75; }
`;

/** A page about the interface, without scripts and without anything from elsewhere. */
export function renderDocs(openApi: OpenApi): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Patchbay reference</title><style>${STYLE}</style></head>
<body>
<h1>Patchbay</h1>
<p>Every entity of every connected system, through one call: <code>POST /api/v1/connectors/sources/{id}/execute</code> with <code>{ "entity", "action", "params" }</code>. The whole interface as OpenAPI 3.1: <a href="/openapi.json">/openapi.json</a>.</p>
<h2>Routes</h2>
${routesOf(openApi)}
${allKinds().map(describeKind).map(kindSection).join('\n')}
<h2>Errors</h2>
<p>Every failure is <code>application/problem+json</code>. Branch on <code>code</code>; <code>retry</code> says whether repeating can help.</p>
${table(
  ['Status', 'Code', 'Retry', 'Meaning'],
  errorTable().map(({ status, code, retry, summary }) => [
    String(status),
    inCode(code),
    inCode(retry),
    escape(summary),
  ]),
)}
</body>
</html>
`;
}

function routesOf({ paths }: OpenApi): string {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [
      `<span class="verb">${escape(method.toUpperCase())}</span> ${inCode(path)}`,
      `${textOf(operation['summary'])} <span class="aside">${textOf(operation['description'])}</span>`,
    ]),
  );
  return table(['Route', 'What it does'], rows);
}

function kindSection(kind: KindDescription): string {
  const methods = kind.auth_methods.map(({ label, fields }) => [
    escape(label),
    fields.map(({ name, required }) => inCode(name) + (required ? '' : ' (optional)')).join(', '),
  ]);
  return `<h2 id="${escape(kind.kind)}">${escape(kind.display_name)} <code>${escape(kind.kind)}</code></h2>
<p>${escape(kind.doc)}</p>
<h3>Credentials</h3>
${table(['Method', 'Fields'], methods)}
${settingsOf('Config', kind.config)}
${settingsOf('Replication config', kind.replication_config.fields)}
<h3>Entities</h3>
${kind.entities.map(entityDetails).join('\n')}`;
}

function settingsOf(title: string, settings: KindDescription['config']): string {
  if (settings.length === 0) return '';
  const rows = settings.map(({ name, required, doc, expects }) => [
    inCode(name),
    required ? 'required' : '',
    `${escape(doc)} <span class="aside">${escape(expects)}</span>`,
  ]);
  return `<h3>${title}</h3>\n${table(['Name', '', 'Meaning'], rows)}`;
}

function entityDetails({
  name,
  doc,
  actions,
  record,
  searchable,
}: KindDescription['entities'][number]): string {
  const actionBlocks = actions.map((action) => {
    const rows = action.params.map((param) => [
      inCode(param.name),
      param.required ? 'required' : '',
      `${escape(param.doc)} <span class="aside">${escape(param.expects)}</span>`,
    ]);
    const params = rows.length === 0 ? '<p>No params.</p>' : table(['Param', '', 'Meaning'], rows);
    return `<h4>${inCode(`${name}.${action.name}`)}</h4><p>${escape(action.doc)}</p>${params}`;
  });
  const fields = record.map((field) => [inCode(field.name), inCode(field.type), escape(field.doc)]);
  const search =
    searchable.length === 0
      ? ''
      : `<p>Searchable: ${searchable.map((field) => inCode(field.name)).join(', ')}.</p>`;
  return `<details><summary>${inCode(name)} ${escape(doc)}</summary>
${actionBlocks.join('\n')}
<h4>Record</h4>
${table(['Field', 'Type', 'Meaning'], fields)}
${search}</details>`;
}

/** Cells are HTML already. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((each) => `<th>${each}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? escape(value) : '';
}

function inCode(text: string): string {
  return `<code>${escape(text)}</code>`;
}
