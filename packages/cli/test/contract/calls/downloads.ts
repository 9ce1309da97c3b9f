import type { CallRow, Known } from '../call.ts';

/** Bytes of files, equal to the last one. */
export const DOWNLOADS: readonly CallRow[] = [
  {
    name: 'a whole file',
    of: 'support',
    operation: 'attachments.download',
    params: ({ attachment }: Known) => ({ attachment_id: attachment }),
  },
  {
    name: 'a part of a file',
    of: 'support',
    operation: 'attachments.download',
    params: ({ attachment }: Known) => ({
      attachment_id: attachment,
      range_header: 'bytes=10-19',
    }),
  },
  {
    name: 'the end of a file',
    of: 'support',
    operation: 'attachments.download',
    params: ({ attachment }: Known) => ({ attachment_id: attachment, range_header: 'bytes=-7' }),
  },
  {
    name: 'a range in words of its own',
    of: 'support',
    operation: 'attachments.download',
    params: ({ attachment }: Known) => ({ attachment_id: attachment, range_header: 'all' }),
    expect: 'invalid_params',
    faults: ['params.range_header'],
  },
  {
    name: 'no such file',
    of: 'support',
    operation: 'attachments.download',
    params: { attachment_id: 999_999_999_999 },
    expect: 'record_not_found',
  },
];
