import type { UpstreamErrors } from '../../vocabulary/index.ts';

/**
 * What Slack's error codes mean. The lists hold every code that Slack documents for the methods of
 * this kind; Slack says itself that its lists are incomplete.
 *
 * @see https://docs.slack.dev/apis/web-api/#errors
 */
export const errors: UpstreamErrors = {
  succeededWhen: { path: 'ok', equals: true },
  code: 'error',
  message: 'response_metadata.messages',
  hints: { needed: 'needed', provided: 'provided' },
  codes: {
    // The token is missing, wrong, expired or revoked.
    // prettier-ignore
    credentials_rejected: [
      'account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked',
    ],
    // The token is good, but a scope, a membership or a policy stands in the way.
    // prettier-ignore
    upstream_forbidden: [
      'access_denied', 'accesslimited', 'app_access_restricted', 'blocked_file_type',
      'cant_update_message', 'canvas_disabled_user_team', 'channel_is_limited_access',
      'edit_window_closed', 'ekm_access_denied', 'enterprise_is_restricted', 'forbidden', 'is_bot',
      'messages_tab_disabled', 'metadata_must_be_sent_from_app', 'missing_scope', 'no_access',
      'no_permission', 'not_allowed_token_type', 'not_authorized', 'not_in_channel',
      'posting_to_channel_denied', 'restricted_action',
      'restricted_action_non_threadable_channel', 'restricted_action_read_only_channel',
      'restricted_action_thread_locked', 'restricted_action_thread_only_channel',
      'send_on_behalf_not_allowed', 'slack_connect_blocked_file_type',
      'slack_connect_canvas_link_sharing_blocked', 'slack_connect_canvas_sharing_blocked',
      'slack_connect_clip_sharing_blocked', 'slack_connect_file_link_sharing_blocked',
      'slack_connect_file_upload_sharing_blocked', 'slack_connect_lists_sharing_blocked',
      'slack_connect_team_blocked', 'team_access_not_granted', 'thread_locked',
      'two_factor_setup_required', 'user_is_bot', 'user_is_restricted', 'user_is_ultra_restricted',
    ],
    // What the params name is not there, or not visible.
    // prettier-ignore
    record_not_found: [
      'channel_not_found', 'draft_not_found', 'file_comment_not_found', 'file_deleted',
      'file_is_deleted', 'file_not_found', 'message_not_found', 'team_not_found',
      'thread_not_found', 'user_not_found', 'user_not_visible',
    ],
    invalid_cursor: ['invalid_cursor'],
    upstream_rate_limited: ['rate_limited', 'ratelimited'],
    // Slack itself has a problem, or the request was cut on its way.
    // prettier-ignore
    upstream_unavailable: [
      'external_channel_migrating', 'fatal_error', 'fetch_members_failed', 'internal_error',
      'list_record_comment_fetch_failed', 'org_login_required', 'request_timeout', 'service_unavailable',
      'team_added_to_org', 'update_failed',
    ],
    // The request makes no sense as it is. Unlisted codes are rejections too.
    // prettier-ignore
    upstream_rejected: [
      'already_reacted', 'as_user_not_supported', 'attachment_payload_limit_exceeded',
      'bad_timestamp', 'block_mismatch', 'cannot_create_channel', 'cannot_reply_to_message',
      'cant_broadcast_message', 'deprecated_endpoint', 'draft_already_deleted',
      'draft_already_sent', 'draft_has_conflict', 'duplicate_channel_not_found',
      'duplicate_message_not_found', 'file_share_limit_reached', 'invalid_arg_name',
      'invalid_arguments', 'invalid_array_arg', 'invalid_attachments', 'invalid_blocks',
      'invalid_blocks_format', 'invalid_charset', 'invalid_form_data', 'invalid_json',
      'invalid_limit', 'invalid_metadata_filter_keys', 'invalid_metadata_format',
      'invalid_metadata_schema', 'invalid_name', 'invalid_name_maxlength',
      'invalid_name_punctuation', 'invalid_name_required', 'invalid_name_specials',
      'invalid_post_type', 'invalid_ts_latest', 'invalid_ts_oldest', 'invalid_types',
      'invalid_users', 'is_archived', 'is_inactive', 'json_not_object', 'limit_required',
      'markdown_text_conflict', 'max_file_sharing_exceeded', 'message_limit_exceeded',
      'metadata_too_large', 'method_deprecated', 'method_not_supported_for_channel_type',
      'missing_argument', 'missing_charset', 'missing_file_data', 'missing_post_type',
      'msg_blocks_too_long', 'msg_too_long', 'name_taken', 'no_channel',
      'no_dual_broadcast_content_update', 'no_item_specified', 'no_text', 'not_reactable',
      'pagination_not_available', 'streaming_state_conflict', 'superfluous_charset', 'too_long',
      'too_many_attachments', 'too_many_contact_cards', 'too_many_convos_for_app_on_team',
      'too_many_convos_for_team', 'too_many_emoji', 'too_many_members', 'too_many_reactions',
      'too_many_users', 'unable_to_share_files', 'unknown_method', 'upgrade_required',
    ],
  },
  // Slack speaks of partial success for the first two; of the others it says nothing.
  // prettier-ignore
  writeMayHaveHappened: [
    'fatal_error', 'internal_error', 'duplicate_channel_not_found', 'duplicate_message_not_found',
    'service_unavailable', 'team_added_to_org', 'unable_to_share_files', 'update_failed',
  ],
};
