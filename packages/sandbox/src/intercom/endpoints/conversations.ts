import type { Endpoint } from '../endpoint.ts';
import { IntercomError } from '../intercom-error.ts';
import { listByCursor } from '../listing.ts';
import type { ListShape } from '../paging.ts';
import { textParameter } from '../parameters.ts';
import { conversationFields } from '../search-fields.ts';
import { search } from '../search.ts';
import { conversationPosition } from '../seeded-conversations.ts';
import { seededParts } from '../seeded-parts.ts';

const CONVERSATION_LIST: ListShape = {
  type: 'conversation.list',
  records: 'conversations',
  nextAtEnd: 'absent',
};
const DEFAULT_PER_PAGE = 20;

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/conversations/listconversations */
export const listConversations: Endpoint = {
  verb: 'GET',
  path: '/conversations',
  pages: true,
  run: (call) => {
    const { conversations } = call.workspace;
    return listByCursor(call, {
      collection: conversations,
      shape: CONVERSATION_LIST,
      defaultPerPage: DEFAULT_PER_PAGE,
      towards: 'older',
    });
  },
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/conversations/retrieveconversation */
export const showConversation: Endpoint = {
  verb: 'GET',
  path: '/conversations/{id}',
  pages: false,
  run: ({ workspace, id, parameters }) => {
    const conversation = workspace.conversations.find(id);
    const position = conversationPosition(workspace.world, id);
    if (conversation === undefined || position === undefined) {
      throw new IntercomError(404, 'not_found', 'Resource Not Found');
    }
    const parts = seededParts(workspace.world, position);
    if (textParameter(parameters, 'display_as') !== 'plaintext') {
      return { body: { ...conversation, conversation_parts: parts } };
    }
    const { source } = conversation;
    return {
      body: {
        ...conversation,
        source: { ...source, subject: plain(source.subject), body: plain(source.body) },
        conversation_parts: {
          ...parts,
          conversation_parts: parts.conversation_parts.map((part) => ({
            ...part,
            body: part.body === null ? null : plain(part.body),
          })),
        },
      },
    };
  },
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/conversations/searchconversations */
export const searchConversations: Endpoint = {
  verb: 'POST',
  path: '/conversations/search',
  pages: true,
  run: (call) => {
    const { conversations, conversationSearches } = call.workspace;
    return search(call, {
      collection: conversations,
      results: conversationSearches,
      rules: { findField: conversationFields(conversations), dates: 'second' },
      shape: CONVERSATION_LIST,
      defaultPerPage: DEFAULT_PER_PAGE,
    });
  },
};

function plain(html: string): string {
  return html
    .replaceAll('</p><p>', '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
