import { download, entity, field, get } from '../../vocabulary/index.ts';
import { cursorList, fileHosts, idParam, page, rangeParams, timestamps, url } from './shared.ts';

const reference = page('help_center/help-center-api/article_attachments');

const article_id = idParam('Article id.');
const attachment_id = idParam('Attachment id.');

export const articleAttachments = entity({
  name: 'article_attachments',
  doc: 'Files in articles.',
  reference,
  record: {
    id: field.integer('Attachment id.', { always: true }),
    url,
    article_id: field.integer('Article it belongs to.'),
    file_name: field.string('File name.', { always: true }),
    content_type: field.string('MIME type.'),
    content_url: field.string('Address of the file.'),
    size: field.integer('Size, in bytes.'),
    inline: field.boolean('Is shown within the text.'),
    ...timestamps,
  },
  actions: {
    list: cursorList(reference, 'GET /help_center/articles/{article_id}/attachments.json', {
      doc: 'Lists the files of an article.',
      ids: { article_id },
      records: 'article_attachments',
    }),
    get: get({
      doc: 'Reads what is known of a file.',
      reference,
      request: 'GET /help_center/articles/{article_id}/attachments/{attachment_id}',
      params: { article_id, attachment_id },
      record: 'article_attachment',
    }),
    download: download({
      doc: 'Reads the bytes of a file.',
      reference,
      request: 'GET /help_center/articles/{article_id}/attachments/{attachment_id}',
      params: { article_id, attachment_id, ...rangeParams },
      url: 'article_attachment.content_url',
      contentType: 'article_attachment.content_type',
      rangeParam: 'range_header',
      fileHosts,
    }),
  },
});
