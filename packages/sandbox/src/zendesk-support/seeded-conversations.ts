import { hash32, pick } from '../seeded-random.ts';
import type { SeededRecords, ZendeskRecord } from './collection.ts';
import type { StoredFile } from './files.ts';
import {
  assigneePosition,
  channelAt,
  commentCount,
  descriptionAt,
  eventAt,
  requesterPosition,
  viaOf,
} from './seeded-tickets.ts';
import { isoTime } from './times.ts';
import { SENTENCES } from './words.ts';
import { MAX_EVENTS_PER_TICKET, MAX_FILES_PER_COMMENT } from './world.ts';
import type { SupportWorld } from './world.ts';

/** Larger than the vendor allows: a client that kept the file in memory would be noticed. */
const HUGE_FILE_BYTES = 1_073_741_824;

/** The files of the first ticket, a selection for trying downloads. */
const FIRST_TICKET_FILES: readonly StoredFile[] = [
  { name: 'screenshot.png', contentType: 'image/png', size: 45_678, isInline: false },
  { name: 'Übersicht für März.txt', contentType: 'text/plain', size: 2_000_000, isInline: false },
  { name: 'recording.mp4', contentType: 'video/mp4', size: HUGE_FILE_BYTES, isInline: false },
  { name: 'empty.log', contentType: 'text/plain', size: 0, isInline: false },
];

/** Thumbnails have ids of their own, which no endpoint knows. */
const THUMBNAIL_OFFSET = 5_000_000_000_000;

/** Changes that follow the last comment and have an audit, but no comment. */
const SILENT_AUDITS = 2;

/** @see https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_comments/ */
export function seededComments(
  world: SupportWorld,
  ticket: number,
  withInlineImages: boolean,
): SeededRecords {
  return {
    count: commentCount(world, ticket),
    positionOf: () => undefined,
    recordAt: (nth) => commentAt(world, ticket, { nth, withInlineImages }),
  };
}

/** @see https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_audits/ */
export function seededAudits(world: SupportWorld, ticket: number): SeededRecords {
  return {
    count: commentCount(world, ticket) + SILENT_AUDITS,
    positionOf: () => undefined,
    recordAt: (nth) => auditAt(world, ticket, nth),
  };
}

/** The file with this id, if a comment has it. */
export function ticketFile(world: SupportWorld, id: number): StoredFile | undefined {
  const place = world.ids.attachments.positionOf(id);
  if (place === undefined) return undefined;
  const comment = Math.floor(place / MAX_FILES_PER_COMMENT);
  const ticket = Math.floor(comment / MAX_EVENTS_PER_TICKET);
  const nth = comment % MAX_EVENTS_PER_TICKET;
  if (ticket >= world.counts.tickets || nth >= commentCount(world, ticket)) return undefined;
  return filesOf(ticket, nth)[place % MAX_FILES_PER_COMMENT];
}

/** @see https://developer.zendesk.com/api-reference/ticketing/tickets/ticket-attachments/ */
export function attachmentRecord(world: SupportWorld, id: number, file: StoredFile): ZendeskRecord {
  const { name, contentType, size, isInline } = file;
  const contentUrl = ticketFileUrl(world, id, name);
  const isImage = contentType.startsWith('image/');
  const thumbnail = {
    url: `${world.apiUrl}/attachments/${String(id + THUMBNAIL_OFFSET)}.json`,
    id: id + THUMBNAIL_OFFSET,
    file_name: `thumb_${name}`,
    content_url: `${contentUrl}&thumbnail=1`,
    mapped_content_url: `${contentUrl}&thumbnail=1`,
    content_type: contentType,
    size: Math.min(size, 4_096),
    width: 80,
    height: 60,
    inline: false,
    deleted: false,
  };
  return {
    url: `${world.apiUrl}/attachments/${String(id)}.json`,
    id,
    file_name: name,
    content_url: contentUrl,
    mapped_content_url: contentUrl,
    content_type: contentType,
    size,
    width: isImage ? 640 : null,
    height: isImage ? 480 : null,
    inline: isInline,
    deleted: false,
    malware_access_override: false,
    malware_scan_result: 'malware_not_found',
    thumbnails: isImage ? [thumbnail] : [],
  };
}

/**
 * The token that stands for a file's id in its address; {@link fileIdOfToken} undoes it. What stands
 * between the id and the rest can be in neither.
 */
export function fileToken(world: SupportWorld, id: number): string {
  return `sbx${id.toString(36)}-${hash32(world.seed, id % 0xffff_ffff, 61).toString(36)}`;
}

/** The id that a token stands for; undefined for a text that is no token. */
export function fileIdOfToken(world: SupportWorld, token: string): number | undefined {
  const id = Number.parseInt(/^sbx([0-9a-z]{1,11})-/.exec(token)?.[1] ?? '', 36);
  return Number.isSafeInteger(id) && fileToken(world, id) === token ? id : undefined;
}

function ticketFileUrl(world: SupportWorld, id: number, name: string): string {
  const token = fileToken(world, id);
  return `${world.siteUrl}/attachments/token/${token}/?name=${encodeURIComponent(name)}`;
}

function filesOf(ticket: number, nth: number): readonly StoredFile[] {
  if (ticket === 0 && nth === 0) return FIRST_TICKET_FILES;
  const turn = (ticket + nth) % 9;
  const label = `${String(ticket + 1)}-${String(nth + 1)}`;
  const log = (size: number) => ({
    name: `trace-${label}.log`,
    contentType: 'text/plain',
    size,
    isInline: false,
  });
  if (turn === 1 || turn === 5) return [log(1_000 + ((ticket * 37) % 60_000))];
  if (turn !== 2) return [];
  const image = {
    name: `inline-${label}.png`,
    contentType: 'image/png',
    size: 9_876,
    isInline: true,
  };
  return [log(512), image];
}

function commentAt(
  world: SupportWorld,
  ticket: number,
  { nth, withInlineImages }: { readonly nth: number; readonly withInlineImages: boolean },
): ZendeskRecord {
  const { ids } = world;
  const place = ticket * MAX_EVENTS_PER_TICKET + nth;
  const body = nth === 0 ? descriptionAt(world, ticket) : wordsOf(world, ticket, nth);
  const createdAt = eventAt(world, ticket, { nth, of: commentCount(world, ticket) });
  return {
    id: ids.ticket_comments.idAt(place),
    type: 'Comment',
    author_id: ids.users.idAt(authorOf(world, ticket, nth)),
    body,
    html_body: `<div class="zd-comment" dir="auto">${paragraphs(body)}</div>`,
    plain_body: body,
    public: nth % 5 !== 3,
    attachments: attachmentsOf(world, ticket, nth).filter(
      (attachment) => withInlineImages || attachment['inline'] !== true,
    ),
    audit_id: ids.ticket_audits.idAt(place),
    via: viaOf(channelAt(world, ticket)),
    created_at: isoTime(createdAt),
    metadata: metadataOf(),
  };
}

function auditAt(world: SupportWorld, ticket: number, nth: number): ZendeskRecord {
  const { ids } = world;
  const comments = commentCount(world, ticket);
  const place = ticket * MAX_EVENTS_PER_TICKET + nth;
  const eventId = ids.ticket_audits.idAt(place) + 1;
  return {
    id: ids.ticket_audits.idAt(place),
    ticket_id: ticket + 1,
    created_at: isoTime(eventAt(world, ticket, { nth: Math.min(nth, comments), of: comments })),
    author_id: ids.users.idAt(authorOf(world, ticket, nth)),
    metadata: metadataOf(),
    events:
      nth < comments
        ? [commentEvent(world, ticket, nth)]
        : [
            {
              id: eventId,
              type: 'Change',
              field_name: nth === comments ? 'status' : 'tags',
              value: nth === comments ? 'pending' : ['vip'],
              previous_value: nth === comments ? 'open' : [],
            },
            {
              id: eventId + 1,
              type: 'Notification',
              via: { channel: 'rule', source: { from: {}, to: {}, rel: 'trigger' } },
              subject: 'Your request was updated',
              body: 'See {{ticket.link}}',
              recipients: [ids.users.idAt(requesterPosition(world, ticket))],
            },
          ],
    via: viaOf(channelAt(world, ticket)),
    attachments: attachmentsOf(world, ticket, nth),
  };
}

/** A comment as an event of its audit, without the fields that the audit itself gives. */
function commentEvent(world: SupportWorld, ticket: number, nth: number): ZendeskRecord {
  const {
    via: _via,
    created_at: _createdAt,
    metadata: _metadata,
    ...event
  } = commentAt(world, ticket, { nth, withInlineImages: true });
  return event;
}

function attachmentsOf(world: SupportWorld, ticket: number, nth: number): readonly ZendeskRecord[] {
  const place = ticket * MAX_EVENTS_PER_TICKET + nth;
  if (nth >= commentCount(world, ticket)) return [];
  return filesOf(ticket, nth).map((file, index) =>
    attachmentRecord(
      world,
      world.ids.attachments.idAt(place * MAX_FILES_PER_COMMENT + index),
      file,
    ),
  );
}

function authorOf(world: SupportWorld, ticket: number, nth: number): number {
  const requester = requesterPosition(world, ticket);
  return nth % 2 === 0 ? requester : (assigneePosition(world, ticket) ?? requester);
}

function wordsOf(world: SupportWorld, ticket: number, nth: number): string {
  return pick(SENTENCES, hash32(world.seed, ticket * MAX_EVENTS_PER_TICKET + nth, 60));
}

function metadataOf(): ZendeskRecord {
  return {
    system: {
      client: 'Sandbox/1.0',
      ip_address: '192.0.2.10',
      location: 'Amsterdam, NH, Netherlands',
      latitude: 52.37,
      longitude: 4.89,
    },
    custom: {},
  };
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((part) => `<p dir="auto">${escapeHtml(part)}</p>`)
    .join('');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
