import { flagArgument, limitArgument, textArgument } from '../arguments.ts';
import { decodeCursor, encodeCursor } from '../cursors.ts';
import { SlackError } from '../slack-error.ts';
import type { MethodCall, SlackMethod } from '../slack-method.ts';
import { APP_BOT_POSITION } from '../world.ts';

/** Without a limit Slack tries to send everyone, and refuses when that is too much. */
const MAX_USERS_WITHOUT_LIMIT = 5_000;
const LOCALE = 'en-US';
const COMMA = Buffer.from(',');

/** @see https://docs.slack.dev/reference/methods/users.list */
export const usersList: SlackMethod = {
  tier: 'tier2',
  scopes: 'users:read',
  required: [],
  writes: false,
  pages: true,
  takesJson: false,
  run: (call) => {
    const { workspace, args } = call;
    const asked = limitArgument(args);
    const start = startOf(call);
    if (asked === undefined && workspace.userCount - start > MAX_USERS_WITHOUT_LIMIT) {
      throw new SlackError('limit_required');
    }
    const end = Math.min(workspace.userCount, start + (asked ?? workspace.userCount));
    const withLocale = flagArgument(args, 'include_locale');
    const key = `${String(start)} ${String(end)} ${String(withLocale)}`;
    return workspace.cachedUserPage(key, () => userPage(call, { start, end, withLocale }));
  },
  disturb: ({ workspace }, change, nextCursor) => {
    const target = decodeCursor('user', nextCursor) ?? '';
    const position = workspace.userPosition(target);
    if (change === 'insert') workspace.addUser();
    // The app's own bot is left as it is: every token stands for it.
    if (position === undefined || position === APP_BOT_POSITION) return;
    const updated = workspace.nowSeconds();
    if (change === 'delete') workspace.changeUser(position, { deleted: true, updated });
    if (change === 'update') {
      const { real_name: realName = '' } = workspace.userAt(position);
      workspace.changeUser(position, { real_name: `${realName} (changed)`, updated });
    }
  },
};

/** @see https://docs.slack.dev/reference/methods/users.info */
export const usersInfo: SlackMethod = {
  tier: 'tier4',
  scopes: 'users:read',
  required: ['user'],
  writes: false,
  pages: false,
  takesJson: false,
  run: ({ workspace, args }) => {
    const position = workspace.userPosition(textArgument(args, 'user') ?? '');
    if (position === undefined) throw new SlackError('user_not_found');
    const withLocale = flagArgument(args, 'include_locale');
    return workspace.cachedUser(`${String(position)} ${String(withLocale)}`, () => {
      const user = workspace.userAt(position);
      const shown = withLocale ? { ...user, locale: LOCALE } : user;
      return Buffer.from(JSON.stringify({ ok: true, user: shown }));
    });
  },
};

function startOf({ workspace, args }: MethodCall): number {
  const target = decodeCursor('user', textArgument(args, 'cursor'));
  if (target === undefined) return 0;
  const position = workspace.userPosition(target);
  if (position === undefined) throw new SlackError('invalid_cursor');
  return position;
}

interface UserPage {
  readonly start: number;
  readonly end: number;
  readonly withLocale: boolean;
}

function userPage({ workspace }: MethodCall, { start, end, withLocale }: UserPage): Buffer {
  // Every user becomes bytes alone: one large text with a single emoji in it converts far slower.
  const parts = [Buffer.from('{"ok":true,"members":[')];
  for (let position = start; position < end; position += 1) {
    const user = workspace.userAt(position);
    if (position > start) parts.push(COMMA);
    parts.push(Buffer.from(JSON.stringify(withLocale ? { ...user, locale: LOCALE } : user)));
  }
  const next = end < workspace.userCount ? encodeCursor('user', workspace.world.userId(end)) : '';
  const rest = JSON.stringify({
    cache_ts: workspace.nowSeconds(),
    response_metadata: { next_cursor: next },
  });
  parts.push(Buffer.from(`],${rest.slice(1)}`));
  return Buffer.concat(parts);
}
