/** What tabs of this browser tell each other of the session that they share; the message says nothing else. */
const ENDED = 'ended';

/** The other tabs of this browser in which the console is open. */
export interface OtherTabs {
  /** Tells them that somebody has signed out here. */
  readonly tellEnd: () => void;
  /** Calls back when one of them tells so; the result ends that. */
  readonly onEnd: (listener: () => void) => () => void;
}

export function openOtherTabs(): OtherTabs {
  const channel = new BroadcastChannel('patchbay.console.session');
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel has none: it is of this origin.
    tellEnd: () => channel.postMessage(ENDED),
    onEnd: (listener) => {
      const onMessage = ({ data }: MessageEvent<unknown>) => {
        if (data === ENDED) listener();
      };
      channel.addEventListener('message', onMessage);
      return () => channel.removeEventListener('message', onMessage);
    },
  };
}
