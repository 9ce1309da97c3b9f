import { isOrganization } from '../accounts.ts';
import { seededUser } from '../seeded-users.ts';
import type { SlackMethod } from '../slack-method.ts';

/** @see https://docs.slack.dev/reference/methods/auth.test */
export const authTest: SlackMethod = {
  tier: 'identity',
  scopes: '',
  required: [],
  writes: false,
  pages: false,
  takesJson: true,
  run: ({ workspace, caller }) => {
    const { world } = workspace;
    const { grant } = caller;
    const account = grant?.person.account;
    const isForOrganization = account !== undefined && isOrganization(account);
    const position = grant?.tokenType === 'user' ? world.userPosition(grant.person.id) : undefined;
    return {
      url: `https://${world.team.domain}.example.com/`,
      team: world.team.name,
      team_id: world.teamId,
      ...(position === undefined
        ? { user: 'sandbox_app', user_id: workspace.appUserId, bot_id: world.botId }
        : { user: seededUser(world, position).name, user_id: world.userId(position) }),
      ...(isForOrganization ? { enterprise_id: account.id } : {}),
      is_enterprise_install: isForOrganization,
    };
  },
};
