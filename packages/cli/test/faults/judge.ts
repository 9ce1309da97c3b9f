import type { Findings } from './findings.ts';
import { at, listAt, textAt } from './json.ts';
import { becomesTrue, pause } from './pause.ts';
import type { Load } from './load/load.ts';
import { COLLECTION, executeCall, syncStatus } from './load/tenant.ts';
import type { Write } from './load/writes.ts';
import type { SandboxProcess } from './world/sandbox-process.ts';

interface Case {
  readonly load: Load;
  readonly sandbox: SandboxProcess;
  readonly findings: Findings;
  /** When the load began, in seconds since 1970: what the sandbox has from then on is ours. */
  readonly startedAt: number;
}

/** How long a copy may take once all is well: another process waits half a minute for a lost lease. */
const COPIED_WITHIN_MS = 120_000;
const SEARCH_LIMIT = 5_000;

/** Holds what the upstream has, the copies and the connectors to what was acknowledged. */
export async function judge(input: Case): Promise<void> {
  const { tenant } = input.load;
  await tenant.hurry();
  await judgeConnectors(input);
  for (const channel of new Set(input.load.writes.all.map((write) => write.channel)))
    await judgeChannel(input, channel);
  await judgeCopies(input);
}

async function judgeConnectors({ load, findings }: Case): Promise<void> {
  const { caller, churn } = load;
  const read = async (id: string) => {
    const expects = ['connector_not_found'];
    const reply = await caller.call({ name: 'judge', path: `${COLLECTION}/${id}`, expects });
    return reply?.status;
  };
  for (const id of churn.kept)
    if ((await read(id)) !== 200) findings.add('lost', 'a connector that was created is not there');
  for (const id of churn.deleted)
    if ((await read(id)) !== 404) findings.add('wrong', 'a connector that was deleted is there');
}

async function judgeChannel(input: Case, channel: string): Promise<void> {
  const { load, findings } = input;
  const texts = countTexts(await readChannel(input, channel));
  for (const write of load.writes.all.filter((each) => each.channel === channel))
    judgeWrite(write, texts.get(write.text) ?? 0, findings);
}

function judgeWrite({ state }: Write, count: number, findings: Findings): void {
  if (count > 1) findings.add('doubled', 'a message was posted twice');
  if (state === 'acknowledged' && count === 0)
    findings.add('lost', 'a message that was acknowledged is not upstream');
  if (state === 'open') findings.add('wrong', 'a write was never settled');
}

/** The copies must become whole, and then hold what the upstream does. */
async function judgeCopies(input: Case): Promise<void> {
  const { load, findings } = input;
  const { slack, intercom } = load.tenant;
  const isWhole = await Promise.all([isSynced(input, slack), isSynced(input, intercom)]);
  if (isWhole.includes(false)) return;
  for (const channel of new Set(load.writes.all.map((write) => write.channel))) {
    const upstream = countTexts(await readChannel(input, channel));
    compare(findings, 'channel_messages', upstream, await searchChannel(input, channel));
  }
  const contacts = countTexts(await readContacts(input), 'id');
  compare(findings, 'contacts', contacts, await searchContacts(input));
}

/** Asks for a sync, and waits until one that began after that has succeeded; finds fault otherwise. */
async function isSynced({ load, findings }: Case, connector: string): Promise<boolean> {
  const { caller } = load;
  let runId = '';
  let refusal = '';
  let status: unknown;
  const isWhole = await becomesTrue(async () => {
    if (runId === '') {
      const path = `${COLLECTION}/${connector}/sync`;
      const asked = await caller.call({ name: 'start a sync', method: 'POST', path });
      runId = asked?.status === 202 ? textAt(asked.body, 'run_id') : '';
      refusal = textAt(asked?.body, 'detail');
      await pause(300);
    }
    const { body } = (await syncStatus(caller, connector)) ?? {};
    status = body;
    if (runId === '' || at(body, 'current') !== null) return false;
    if (textAt(body, 'last.run_id') === runId && textAt(body, 'last.state') === 'succeeded')
      return true;
    runId = '';
    return false;
  }, COPIED_WITHIN_MS);
  const why = refusal === '' ? `its sync did not end: ${JSON.stringify(status)}` : refusal;
  if (!isWhole) findings.add('wrong', `a copy was not complete long after the fault: ${why}`);
  return isWhole;
}

async function readChannel({ sandbox, startedAt }: Case, channel: string) {
  const query = { channel, limit: '999', oldest: String(startedAt) };
  const messages: unknown[] = [];
  for (let cursor = ''; ;) {
    const search = new URLSearchParams(cursor === '' ? query : { ...query, cursor });
    const page = await sandbox.read('slack', `/conversations.history?${search.toString()}`);
    messages.push(...listAt(page, 'messages'));
    cursor = textAt(page, 'response_metadata.next_cursor');
    if (cursor === '') return messages;
  }
}

async function readContacts({ sandbox }: Case): Promise<readonly unknown[]> {
  const contacts: unknown[] = [];
  for (let cursor = ''; ;) {
    const after = cursor === '' ? '' : `&starting_after=${encodeURIComponent(cursor)}`;
    const page = await sandbox.read('intercom', `/contacts?per_page=150${after}`);
    contacts.push(...listAt(page, 'data'));
    cursor = textAt(page, 'pages.next.starting_after');
    if (cursor === '') return contacts;
  }
}

async function searchChannel(input: Case, channel: string) {
  const { slack } = input.load.tenant;
  const hits = await searchAll(input, slack, {
    entity: 'channel_messages',
    filter: { eq: { channel } },
    fields: ['text'],
  });
  return countTexts(hits.map((hit) => at(hit, 'data')));
}

async function searchContacts(input: Case) {
  const { intercom } = input.load.tenant;
  const search = { entity: 'contacts', filter: {}, fields: ['id'] };
  const hits = await searchAll(input, intercom, search);
  return countTexts(hits, 'id');
}

async function searchAll(
  { load, findings }: Case,
  connector: string,
  { entity, filter, fields }: { entity: string; filter: object; fields: readonly string[] },
): Promise<readonly unknown[]> {
  const hits: unknown[] = [];
  for (let cursor: unknown = null; ;) {
    const params = {
      query: { filter },
      fields,
      limit: SEARCH_LIMIT,
      ...(cursor === null ? {} : { cursor }),
    };
    const call = executeCall(
      connector,
      { entity, action: 'search', params },
      { timeoutMs: 30_000, name: 'judge' },
    );
    const reply = await load.caller.call(call);
    if (reply?.status !== 200) {
      findings.add('wrong', `a search of ${entity} failed long after the fault`);
      return hits;
    }
    hits.push(...listAt(reply.body, 'result.hits'));
    cursor = at(reply.body, 'result.next_cursor') ?? null;
    if (cursor === null) return hits;
  }
}

function countTexts(records: readonly unknown[], member = 'text'): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const record of records) {
    const text = textAt(record, member);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

function compare(
  findings: Findings,
  entity: string,
  upstream: ReadonlyMap<string, number>,
  copy: ReadonlyMap<string, number>,
): void {
  for (const [text, count] of upstream) {
    const copied = copy.get(text) ?? 0;
    if (copied < count) findings.add('lost', `the copy of ${entity} lacks what the upstream has`);
    if (copied > count) findings.add('doubled', `the copy of ${entity} has something twice`);
  }
  for (const text of copy.keys())
    if (!upstream.has(text))
      findings.add('wrong', `the copy of ${entity} has what the upstream has not`);
}
