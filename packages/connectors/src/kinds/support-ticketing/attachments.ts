import { download, entity, field } from '../../vocabulary/index.ts';
import {
  attachmentMembers,
  fileHosts,
  getById,
  idParam,
  page,
  rangeParams,
  url,
} from './shared.ts';

const reference = page('ticketing/tickets/ticket-attachments');

export const attachments = entity({
  name: 'attachments',
  doc: 'Files in ticket comments.',
  reference,
  record: {
    id: field.integer('Attachment id.', { always: true }),
    file_name: field.string('File name.'),
    content_url: field.string('Address of the file.'),
    mapped_content_url: field.string("Address of the file on the account's own domain."),
    content_type: field.string('MIME type.'),
    size: field.integer('Size, in bytes.'),
    width: field.integer('Width of an image, in pixels.'),
    height: field.integer('Height of an image, in pixels.'),
    inline: field.boolean('Is shown within the text.'),
    deleted: field.boolean('The file has been deleted.'),
    malware_access_override: field.boolean('Agents may open it although it is malware.'),
    malware_scan_result: field.string('Result of the scan for malware.'),
    url,
    thumbnails: field.array('Smaller versions of an image.', attachmentMembers),
  },
  actions: {
    get: getById(reference, 'GET /attachments/{attachment_id}.json', 'attachment'),
    download: download({
      doc: 'Reads the bytes of a file.',
      reference,
      request: 'GET /attachments/{attachment_id}.json',
      params: { attachment_id: idParam('Attachment id.'), ...rangeParams },
      url: 'attachment.content_url',
      contentType: 'attachment.content_type',
      rangeParam: 'range_header',
      fileHosts,
    }),
  },
});
