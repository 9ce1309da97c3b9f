import type { Patchbay } from '@patchbay/client';

/** The id of a file at Zendesk Support. */
export async function someAttachment(patchbay: Patchbay): Promise<number> {
  const support = await patchbay.connector('support-ticketing');
  for await (const ticket of support.tickets.list.all())
    for await (const { attachments } of support.ticket_comments.list.all({ ticket_id: ticket.id }))
      for (const each of (attachments ?? []) as readonly { readonly id?: unknown }[])
        if (typeof each.id === 'number') return each.id;
  throw new Error('no comment has an attachment');
}
