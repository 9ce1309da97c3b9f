import { textArgument } from './arguments.ts';
import type { Arguments } from './arguments.ts';
import type { Conversation } from './conversation.ts';
import type { RateTier } from './rate-tiers.ts';
import { SlackError } from './slack-error.ts';
import type { Workspace } from './workspace.ts';

/** A call as a method sees it. */
export interface MethodCall {
  readonly workspace: Workspace;
  readonly args: Arguments;
  /** Writes answer as briefly as Slack has ever been seen to. */
  readonly isBare: boolean;
}

/** The fields beside `ok`, or the bytes of a whole answer made before. */
export type MethodAnswer = Readonly<Record<string, unknown>> | Buffer;

/** How a record changes while it is being paged. */
export type PagingChange = 'insert' | 'delete' | 'update';

/** One method of the Web API: what Slack's page on it says in its head, and what it does. */
export interface SlackMethod {
  readonly tier: RateTier;
  /** The scopes of which one is needed, as in `x-accepted-oauth-scopes`. */
  readonly scopes: string;
  /** Arguments without which the call is refused. */
  readonly required: readonly string[];
  readonly writes: boolean;
  readonly pages: boolean;
  /** JSON bodies are read; the methods that only read ignore them, as Slack does. */
  readonly takesJson: boolean;
  run(call: MethodCall): MethodAnswer;
  /** Changes a record between this page and the next, whose cursor is given. */
  disturb?(call: MethodCall, change: PagingChange, nextCursor: string): void;
}

/** Promises the conversation that the `channel` argument names. */
export function conversationArgument({ workspace, args }: MethodCall): Conversation {
  const conversation = workspace.conversation(textArgument(args, 'channel') ?? '');
  if (conversation === undefined) throw new SlackError('channel_not_found');
  return conversation;
}

/** Promises the conversation that the `channel` argument names, if the app is in it. */
export function joinedConversationArgument(call: MethodCall): Conversation {
  const conversation = conversationArgument(call);
  if (!conversation.isAppMember) throw new SlackError('not_in_channel');
  return conversation;
}

/** Refuses to write to an archived conversation. */
export function refuseArchived(conversation: Conversation, code = 'is_archived'): void {
  if (conversation.record.is_archived) throw new SlackError(code);
}
