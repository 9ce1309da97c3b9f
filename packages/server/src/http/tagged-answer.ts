import { ASK_AGAIN, entityTag, isHad } from './entity-tag.ts';
import type { Answer, PublicCall } from './route.ts';

interface Tagged {
  readonly text: string;
  readonly etag: string;
}

/** Of bodies that are there still: those that are asked for again and again are large. */
const known = new WeakMap<object, Tagged>();

/** A value for whoever has a token, as an answer that is sent only where it has changed; the value must not. */
export function taggedAnswer({ header }: Pick<PublicCall, 'header'>, body: object): Answer {
  const { text, etag } = known.get(body) ?? tag(body);
  const headers = { etag, 'cache-control': `private, ${ASK_AGAIN}` };
  return isHad(etag, header('if-none-match'))
    ? { status: 304, text: '', headers }
    : { status: 200, text, headers };
}

function tag(body: object): Tagged {
  const text = JSON.stringify(body);
  const tagged = { text, etag: entityTag(text) };
  known.set(body, tagged);
  return tagged;
}
