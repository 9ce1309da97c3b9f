/**
 * What tabs of this browser tell each other of the session that they share; a message says nothing else: somebody has
 * signed in or out, does something in one of them, or has done nothing in any of them for too long.
 */
type Word = 'begun' | 'ended' | 'used' | 'unattended';

/** The other tabs of this browser in which the console is open. */
export interface OtherTabs {
  readonly tell: (word: Word) => void;
  /** Calls back when one of them tells so; the result ends that. */
  readonly on: (word: Word, listener: () => void) => () => void;
}

export function openOtherTabs(): OtherTabs {
  const channel = new BroadcastChannel('patchbay.console.session');
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel has none: it is of this origin.
    tell: (word) => channel.postMessage(word),
    on: (word, listener) => {
      const onMessage = ({ data }: MessageEvent<unknown>) => {
        if (data === word) listener();
      };
      channel.addEventListener('message', onMessage);
      return () => channel.removeEventListener('message', onMessage);
    },
  };
}
