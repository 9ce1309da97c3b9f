import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';
import type { AIMessage, BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';

interface CallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly unknown[];
}

/** A chat model of LangChain that says what it was made with, and keeps which tools it was shown. */
export class ScriptedChatModel extends BaseChatModel<CallOptions> {
  readonly shownTools: (readonly unknown[])[] = [];
  readonly #replies: AIMessage[];

  constructor(replies: readonly AIMessage[]) {
    super({});
    this.#replies = [...replies];
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(tools: BindToolsInput[]) {
    const forms = tools.map((each) => convertToOpenAITool(each as never));
    return this.withConfig({ tools: forms });
  }

  override _generate(
    _: BaseMessage[],
    { tools = [] }: this['ParsedCallOptions'],
  ): Promise<ChatResult> {
    this.shownTools.push(tools);
    const message = this.#replies.shift();
    if (message === undefined) throw new Error('it has nothing more to say');
    return Promise.resolve({ generations: [{ text: message.text, message }] });
  }
}
