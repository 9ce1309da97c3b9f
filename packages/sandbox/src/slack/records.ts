/**
 * The shapes of Slack's records as its API sends them.
 *
 * @see https://docs.slack.dev/reference/objects
 */

/** The user's profile inside a {@link SlackUser}. */
export interface SlackProfile {
  readonly title: string;
  readonly phone: string;
  readonly skype: string;
  readonly real_name: string;
  readonly real_name_normalized: string;
  readonly display_name: string;
  readonly display_name_normalized: string;
  readonly fields: Readonly<Record<string, unknown>> | null;
  readonly status_text: string;
  readonly status_emoji: string;
  readonly status_emoji_display_info: readonly Readonly<Record<string, string>>[];
  readonly status_expiration: number;
  readonly avatar_hash: string;
  readonly image_original?: string;
  readonly is_custom_image?: boolean;
  readonly huddle_state?: string;
  readonly huddle_state_expiration_ts?: number;
  readonly email?: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly image_24: string;
  readonly image_32: string;
  readonly image_48: string;
  readonly image_72: string;
  readonly image_192: string;
  readonly image_512: string;
  readonly image_1024?: string;
  readonly status_text_canonical: string;
  readonly always_active?: boolean;
  readonly api_app_id?: string;
  readonly bot_id?: string;
  readonly team: string;
}

/** A member, guest or bot. A deactivated one lacks its time zone, colour and roles. */
export interface SlackUser {
  readonly id: string;
  readonly team_id: string;
  readonly name: string;
  readonly deleted: boolean;
  readonly color?: string;
  readonly real_name?: string;
  readonly tz?: string;
  readonly tz_label?: string;
  readonly tz_offset?: number;
  readonly profile: SlackProfile;
  readonly is_admin?: boolean;
  readonly is_owner?: boolean;
  readonly is_primary_owner?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly is_bot: boolean;
  readonly is_app_user: boolean;
  readonly is_forgotten?: boolean;
  readonly is_invited_user?: boolean;
  readonly updated: number;
  readonly is_email_confirmed?: boolean;
  readonly has_2fa?: boolean;
  readonly who_can_share_contact_card?: string;
}

/** A topic or a purpose. */
export interface SlackHeadline {
  readonly value: string;
  readonly creator: string;
  readonly last_set: number;
}

/** A public or private channel, or a group direct message. */
export interface SlackChannel {
  readonly id: string;
  readonly name: string;
  readonly is_channel: boolean;
  readonly is_group: boolean;
  readonly is_im: false;
  readonly is_mpim: boolean;
  readonly is_private: boolean;
  readonly created: number;
  readonly is_archived: boolean;
  readonly is_general: boolean;
  readonly unlinked: number;
  readonly name_normalized: string;
  readonly is_shared: boolean;
  readonly is_frozen: boolean;
  readonly is_org_shared: boolean;
  readonly is_pending_ext_shared: boolean;
  readonly pending_shared: readonly string[];
  readonly context_team_id: string;
  /** Milliseconds, unlike every other time in Slack. */
  readonly updated: number;
  readonly parent_conversation: string | null;
  readonly creator: string;
  readonly is_ext_shared: boolean;
  readonly shared_team_ids: readonly string[];
  readonly pending_connected_team_ids: readonly string[];
  readonly is_member?: boolean;
  readonly topic: SlackHeadline;
  readonly purpose: SlackHeadline;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly previous_names: readonly string[];
  readonly is_thread_only?: boolean;
  readonly is_read_only?: boolean;
}

/** A direct message conversation. */
export interface SlackIm {
  readonly id: string;
  readonly created: number;
  readonly is_archived: boolean;
  readonly is_im: true;
  readonly is_org_shared: boolean;
  readonly context_team_id: string;
  readonly updated: number;
  readonly user: string;
  readonly is_user_deleted: boolean;
  readonly priority: number;
}

/** Any conversation; `is_im` tells the two shapes apart. */
export type SlackConversation = SlackChannel | SlackIm;

/** One emoji on a message, with who put it there. */
export interface SlackReaction {
  readonly name: string;
  readonly users: readonly string[];
  readonly count: number;
}

/** The bot that a message came from. */
export interface SlackBotProfile {
  readonly id: string;
  readonly deleted: boolean;
  readonly name: string;
  readonly updated: number;
  readonly app_id: string;
  readonly user_id: string;
  readonly icons: Readonly<Record<string, string>>;
  readonly team_id: string;
}

type SlackObject = Readonly<Record<string, unknown>>;

/** A message, with all that only some messages carry. */
export interface SlackMessage {
  readonly type: 'message';
  readonly subtype?: string;
  readonly user?: string;
  readonly text: string;
  readonly ts: string;
  readonly client_msg_id?: string;
  readonly team?: string;
  readonly bot_id?: string;
  readonly app_id?: string;
  readonly bot_profile?: SlackBotProfile;
  readonly username?: string;
  readonly icons?: SlackObject;
  readonly topic?: string;
  readonly purpose?: string;
  readonly old_name?: string;
  readonly name?: string;
  readonly hidden?: boolean;
  readonly blocks?: readonly SlackObject[];
  readonly attachments?: readonly SlackObject[];
  readonly files?: readonly SlackObject[];
  readonly upload?: boolean;
  readonly edited?: { readonly user: string; readonly ts: string };
  readonly reactions?: readonly SlackReaction[];
  readonly thread_ts?: string;
  readonly parent_user_id?: string;
  readonly reply_count?: number;
  readonly reply_users_count?: number;
  readonly latest_reply?: string;
  readonly reply_users?: readonly string[];
  readonly is_locked?: boolean;
  readonly subscribed?: boolean;
  readonly root?: SlackMessage;
}
