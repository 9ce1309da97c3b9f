import type { SlackMethod } from '../slack-method.ts';

/** @see https://docs.slack.dev/reference/methods/auth.test */
export const authTest: SlackMethod = {
  tier: 'identity',
  scopes: '',
  required: [],
  writes: false,
  pages: false,
  takesJson: true,
  run: ({ workspace }) => ({
    url: 'https://sandbox.example.com/',
    team: 'Sandbox Workspace',
    user: 'sandbox_app',
    team_id: workspace.world.teamId,
    user_id: workspace.appUserId,
    bot_id: workspace.world.botId,
    is_enterprise_install: false,
  }),
};
