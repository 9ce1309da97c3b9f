import { ASK_AGAIN, entityTag, isHad } from './entity-tag.ts';
import type { Answer, PublicCall } from './route.ts';

/** A value for whoever has a token, as an answer that is sent only where it has changed. */
export function taggedAnswer({ header }: Pick<PublicCall, 'header'>, body: unknown): Answer {
  const text = JSON.stringify(body);
  const etag = entityTag(text);
  const headers = { etag, 'cache-control': `private, ${ASK_AGAIN}` };
  return isHad(etag, header('if-none-match'))
    ? { status: 304, text: '', headers }
    : { status: 200, text, headers };
}
