import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { Grant } from '../oauth/grant.ts';
import type { SlackAccounts } from './accounts.ts';
import { textArgument } from './arguments.ts';
import type { Arguments } from './arguments.ts';
import type { Conversation } from './conversation.ts';
import type { RateTier } from './rate-tiers.ts';
import { SlackError } from './slack-error.ts';
import type { Workspace } from './workspace.ts';

/** Whose token a call was made with. */
export interface Caller {
  /** Empty for methods that want none. */
  readonly token: string;
  /** The consent that it was issued for; undefined for tokens that were made by hand. */
  readonly grant: Grant | undefined;
}

/** A call as a method sees it. */
export interface MethodCall {
  readonly caller: Caller;
  /** The caller's workspace. */
  readonly workspace: Workspace;
  readonly accounts: SlackAccounts;
  readonly server: AuthorizationServer;
  /** The Authorization header. */
  readonly authorization: string | undefined;
  readonly args: Arguments;
  /** The largest page of messages. */
  readonly mostMessages: number;
  /** Writes answer with the shortest body that Slack is known to give (fault `bareWrites`). */
  readonly isBare: boolean;
}

/** The fields beside `ok`, or the bytes of a whole cached answer. */
export type MethodAnswer = Readonly<Record<string, unknown>> | Buffer;

/** How a record changes while it is being paged. */
export type PagingChange = 'insert' | 'delete' | 'update';

/** One method of the Web API: the facts at the top of Slack's page on it, and what it does. */
export interface SlackMethod {
  readonly tier: RateTier;
  /** The scopes of which a token needs one, as in `x-accepted-oauth-scopes`. */
  readonly scopes: string;
  /** Arguments without which the call is refused. */
  readonly required: readonly string[];
  readonly writes: boolean;
  readonly pages: boolean;
  /** Whether JSON bodies are read; methods that only read data ignore them, as Slack does. */
  readonly takesJson: boolean;
  /** It wants no token. */
  readonly isOpen?: boolean;
  run(call: MethodCall): MethodAnswer;
  /** Changes a record between this page and the next, whose cursor is given. */
  disturb?(call: MethodCall, change: PagingChange, nextCursor: string): void;
}

/** The conversation that the `channel` argument names; refused with `channel_not_found`. */
export function conversationArgument({ workspace, args }: MethodCall): Conversation {
  const conversation = workspace.conversation(textArgument(args, 'channel') ?? '');
  if (conversation === undefined) throw new SlackError('channel_not_found');
  return conversation;
}

/** The conversation that the `channel` argument names; refused unless the app is in it. */
export function joinedConversationArgument(call: MethodCall): Conversation {
  const conversation = conversationArgument(call);
  if (!conversation.isAppMember) throw new SlackError('not_in_channel');
  return conversation;
}

/** Refuses to write to an archived conversation. */
export function refuseArchived(conversation: Conversation, code = 'is_archived'): void {
  if (conversation.record.is_archived) throw new SlackError(code);
}
