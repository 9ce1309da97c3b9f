import { hash32, pick } from '../seeded-random.ts';
import type { SeededRecords, ZendeskRecord } from './collection.ts';
import type { StoredFile } from './files.ts';
import { isoTime } from './times.ts';
import { ARTICLE_TITLES, SENTENCES, TAG_WORDS } from './words.ts';
import { MAX_FILES_PER_ARTICLE } from './world.ts';
import type { SupportWorld } from './world.ts';

/** The article whose attachments do not fit on one page. */
const LONG_ARTICLE_POSITION = 1;
const LONG_ARTICLE_FILES = 120;

/** @see https://developer.zendesk.com/api-reference/help_center/help-center-api/articles/ */
export function seededArticles(world: SupportWorld): SeededRecords {
  const count = world.counts.articles;
  return {
    count,
    positionOf: (id) => world.ids.articles.positionOf(id),
    recordAt: (position) => {
      const hash = hash32(world.seed, position, 70);
      const id = world.ids.articles.idAt(position);
      const title = `${pick(ARTICLE_TITLES, hash)} (${String(position + 1)})`;
      const createdAt = world.createdAt(position, count);
      const updatedAt = isoTime(world.updatedAt(position, count));
      return {
        id,
        url: `${world.apiUrl}/help_center/en-us/articles/${String(id)}.json`,
        html_url: `${world.siteUrl}/hc/en-us/articles/${String(id)}`,
        author_id: world.ids.users.idAt(position % world.agentCount),
        comments_disabled: hash % 2 === 0,
        draft: position % 11 === 7,
        promoted: position % 10 === 0,
        position: hash % 50,
        vote_sum: (hash % 40) - 5,
        vote_count: hash % 60,
        section_id: 360_000_000_000 + (position % 5),
        created_at: isoTime(createdAt),
        updated_at: updatedAt,
        edited_at: updatedAt,
        name: title,
        title,
        source_locale: 'en-us',
        locale: 'en-us',
        outdated: false,
        outdated_locales: [],
        user_segment_id: null,
        permission_group_id: 1_001,
        content_tag_ids: [],
        label_names: hash % 3 === 0 ? [] : [pick(TAG_WORDS, hash >>> 4)],
        body: `<h2>${title.replace('&', '&amp;')}</h2><p>${pick(SENTENCES, hash >>> 6).replaceAll('<', '&lt;')}</p>`,
        user_segment_ids: [],
      };
    },
  };
}

/** @see https://developer.zendesk.com/api-reference/help_center/help-center-api/article_attachments/ */
export function seededArticleAttachments(world: SupportWorld, article: number): SeededRecords {
  return {
    count: fileCount(article),
    positionOf: (id) => {
      const place = world.ids.article_attachments.positionOf(id);
      return place === undefined || Math.floor(place / MAX_FILES_PER_ARTICLE) !== article
        ? undefined
        : place % MAX_FILES_PER_ARTICLE;
    },
    recordAt: (nth) => attachmentAt(world, article, nth),
  };
}

/** The file with this id, if an article has it. */
export function articleFile(world: SupportWorld, id: number): StoredFile | undefined {
  const place = world.ids.article_attachments.positionOf(id);
  if (place === undefined) return undefined;
  const article = Math.floor(place / MAX_FILES_PER_ARTICLE);
  const nth = place % MAX_FILES_PER_ARTICLE;
  if (article >= world.counts.articles || nth >= fileCount(article)) return undefined;
  return fileOf(article, nth);
}

function attachmentAt(world: SupportWorld, article: number, nth: number): ZendeskRecord {
  const { ids, counts } = world;
  const id = ids.article_attachments.idAt(article * MAX_FILES_PER_ARTICLE + nth);
  const articleId = ids.articles.idAt(article);
  const { name, contentType, size, isInline } = fileOf(article, nth);
  const at = isoTime(world.createdAt(article, counts.articles) + nth);
  const path = `/hc/article_attachments/${String(id)}/${encodeURIComponent(name)}`;
  return {
    id,
    url: `${world.apiUrl}/help_center/articles/attachments/${String(id)}.json`,
    article_id: articleId,
    display_file_name: name,
    file_name: name,
    locale: isInline ? null : 'en-us',
    content_url: `${world.siteUrl}${path}`,
    relative_path: path,
    content_type: contentType,
    size,
    inline: isInline,
    created_at: at,
    updated_at: at,
  };
}

function fileCount(article: number): number {
  return article === LONG_ARTICLE_POSITION ? LONG_ARTICLE_FILES : article % 4;
}

function fileOf(article: number, nth: number): StoredFile {
  const label = `${String(article + 1)}-${String(nth + 1)}`;
  return nth % 3 === 1
    ? { name: `diagram ${label}.png`, contentType: 'image/png', size: 20_000 + nth, isInline: true }
    : {
        name: `guide-${label}.pdf`,
        contentType: 'application/pdf',
        size: 70_000 + nth,
        isInline: false,
      };
}
