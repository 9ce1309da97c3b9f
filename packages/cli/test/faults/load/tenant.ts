import { listAt, textAt } from '../json.ts';
import { pause } from '../pause.ts';
import type { SandboxProcess } from '../world/sandbox-process.ts';
import type { Caller, Call, Reply } from './caller.ts';

/** Whose connectors these are. */
const USER = 'tenant';
export const COLLECTION = '/v1/integrations/connectors';

/** What the load knows of the tenant it plays. */
export interface Tenant {
  /** A Slack connector whose first copy is done. */
  readonly slack: string;
  /** An Intercom connector whose first copy is under way. */
  readonly intercom: string;
  /** Slack's user ids. */
  readonly users: readonly string[];
  /** Slack channels that the app may write to. */
  readonly channels: readonly string[];
  /** Keeps the first copy of Intercom slow until called. */
  readonly hurry: () => Promise<void>;
}

const REPLICATION = {
  start_date: '2026-01-01T00:00:00Z',
  lookback_window: 0,
  join_channels: false,
};
const PAGE_DELAY_MS = 1_000;
const SLOW_METHODS = ['GET /contacts', 'GET /conversations'];

export async function makeTenant(caller: Caller, sandbox: SandboxProcess): Promise<Tenant> {
  const slack = await create(caller, 'chat-workspace', { replication_config: REPLICATION });
  const users = await sandbox.read('slack', '/users.list?limit=1000');
  const channels = await sandbox.read('slack', '/conversations.list?limit=999');
  await untilCopied(caller, slack);
  const slow = await Promise.all(
    SLOW_METHODS.map((method) =>
      sandbox.addFault({ kind: 'delay', delayMs: PAGE_DELAY_MS, method }),
    ),
  );
  return {
    slack,
    intercom: await create(caller, 'customer-messaging', {}),
    users: listAt(users, 'members').map((user) => textAt(user, 'id')),
    channels: listAt(channels, 'channels')
      .filter((channel) => isOpen(channel))
      .map((channel) => textAt(channel, 'id')),
    hurry: async () => {
      for (const end of slow) await end();
    },
  };
}

export function connectorCall(kind: string, more: object, token = 'demo'): Call {
  return {
    name: 'create a connector',
    method: 'POST',
    path: COLLECTION,
    body: {
      external_user_id: USER,
      connector_type: kind,
      name: 'Connector',
      credentials: kind === 'chat-workspace' ? { api_token: token } : { access_token: token },
      ...more,
    },
  };
}

/** A call of execute, with a deadline of 3 s unless said. */
export function executeCall(
  connector: string,
  body: { readonly entity: string; readonly action: string; readonly params: object },
  more: Partial<Call> = {},
): Call {
  return {
    name: `${body.action} ${body.entity}`,
    method: 'POST',
    path: `/api/v1/connectors/sources/${connector}/execute`,
    body,
    timeoutMs: 3_000,
    ...more,
  };
}

/** The state of a connector's syncs, as docs/wire.md#status-of-syncs has it. */
export async function syncStatus(caller: Caller, connector: string): Promise<Reply | undefined> {
  return await caller.call({ name: 'status of syncs', path: `${COLLECTION}/${connector}/sync` });
}

async function create(caller: Caller, kind: string, more: object): Promise<string> {
  const reply = await caller.call(connectorCall(kind, more));
  if (reply?.status !== 201) throw new Error(`no ${kind}: ${JSON.stringify(reply)}`);
  return textAt(reply.body, 'id');
}

async function untilCopied(caller: Caller, connector: string): Promise<void> {
  for (;;) {
    const reply = await syncStatus(caller, connector);
    if (textAt(reply?.body, 'last.state') === 'succeeded') return;
    await pause(100);
  }
}

function isOpen(channel: unknown): boolean {
  const { is_member: isMember, is_archived: isArchived } = channel as Readonly<
    Record<string, unknown>
  >;
  return isMember === true && isArchived !== true;
}
