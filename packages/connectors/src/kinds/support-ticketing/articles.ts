import { entity, field } from '../../vocabulary/index.ts';
import { cursorList, getById, orderedBy, page, timestamps, url } from './shared.ts';

const reference = page('help_center/help-center-api/articles');

export const articles = entity({
  name: 'articles',
  doc: 'Articles of the help center.',
  reference,
  record: {
    id: field.integer('Article id.', { always: true }),
    url,
    html_url: field.string('Address of the article in the help center.'),
    title: field.string('Title.'),
    body: field.string('Text as HTML.'),
    locale: field.string('Language, as a BCP 47 tag.'),
    author_id: field.integer('User who wrote it.'),
    section_id: field.integer('Section.'),
    ...timestamps,
    vote_sum: field.integer('Votes up less votes down.'),
    vote_count: field.integer('Votes.'),
    label_names: field.array('Labels.', 'string'),
    draft: field.boolean('Is a draft.'),
    promoted: field.boolean('Is promoted.'),
    position: field.integer('Place in the section; 0 is the first.'),
  },
  actions: {
    list: cursorList(reference, 'GET /help_center/articles.json', {
      doc: 'Lists the articles in the default language that the caller may see.',
      filters: { ...orderedBy(['created_at', 'updated_at', 'title', 'position']) },
    }),
    get: getById(reference, 'GET /help_center/articles/{id}.json', 'article'),
  },
});
