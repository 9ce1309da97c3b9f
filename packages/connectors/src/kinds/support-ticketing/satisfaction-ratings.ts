import { entity, field, param, searchable } from '../../vocabulary/index.ts';
import { cursorList, getById, page, timestamps, url } from './shared.ts';

const reference = page('ticketing/ticket-management/satisfaction_ratings');

const record = {
  id: field.integer('Rating id.', { always: true }),
  url,
  assignee_id: field.integer('Agent who was assigned.'),
  group_id: field.integer('Group that was assigned.'),
  requester_id: field.integer('User who rated.'),
  ticket_id: field.integer('Ticket that was rated.'),
  score: field.string('The rating: offered, unoffered, good or bad.'),
  comment: field.string('Comment.'),
  reason: field.string('Reason for a bad rating.'),
  reason_id: field.integer('Id of the reason.'),
  reason_code: field.integer('Code of the reason.'),
  ...timestamps,
} as const;

export const satisfactionRatings = entity({
  name: 'satisfaction_ratings',
  doc: 'What customers said of the help they got.',
  reference,
  record,
  actions: {
    list: cursorList(reference, 'GET /satisfaction_ratings.json', {
      doc: 'Lists satisfaction ratings of the older kind (good or bad); answers of newer surveys are not among them.',
      filters: {
        // prettier-ignore
        score: param.word('Only ratings of this score.', [
          'offered', 'unoffered',
          'received', 'received_with_comment', 'received_without_comment',
          'good', 'good_with_comment', 'good_without_comment',
          'bad', 'bad_with_comment', 'bad_without_comment',
        ]),
        start_time: param.time('Time of the oldest rating', 'seconds'),
        end_time: param.time('Time of the newest rating', 'seconds'),
      },
    }),
    get: getById(
      reference,
      'GET /satisfaction_ratings/{satisfaction_rating_id}.json',
      'satisfaction_rating',
    ),
  },
  search: searchable(record, {
    without: ['reason_code'],
    sortable: ['id', 'ticket_id', 'created_at', 'updated_at'],
    text: ['comment', 'reason'],
  }),
  // Zendesk leaves open whether a change counts as the time of a rating: a full read settles it.
  replicate: {
    since: { param: 'start_time', as: 'seconds' },
    increment: 'same',
    fullEveryHours: 24,
  },
});
