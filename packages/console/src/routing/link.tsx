import type { ComponentProps, MouseEvent } from 'react';
import { addressOf, goTo } from './location.ts';

interface Props extends Omit<ComponentProps<'a'>, 'href'> {
  /** Below the console's own path, query included. */
  readonly to: string;
}

/** A link to another place of the console: a real one, for whoever opens it elsewhere. */
export function Link({ to, onClick, ...rest }: Props) {
  return <a {...rest} href={addressOf(to)} onClick={(event) => follow(event, to, onClick)} />;
}

function follow(event: MouseEvent<HTMLAnchorElement>, to: string, onClick: Props['onClick']): void {
  onClick?.(event);
  const wantsAnotherTab = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey;
  if (event.defaultPrevented || wantsAnotherTab) return;
  event.preventDefault();
  goTo(to);
}
