import type { ComponentProps, KeyboardEvent, MouseEvent } from 'react';

/**
 * What buttons are made of. One that cannot be pressed says so, and does nothing, but keeps the focus: with the attribute
 * `disabled` browsers take it away, and whoever works without a pointer begins again at the top of the page.
 */
export function FocusableButton({
  disabled = false,
  type = 'button',
  onClick,
  onKeyDown,
  ...rest
}: ComponentProps<'button'>) {
  return (
    <button
      {...rest}
      onKeyDown={(event) => {
        pressOnce(event);
        onKeyDown?.(event);
      }}
      type={type}
      aria-disabled={disabled || undefined}
      onClick={disabled ? refuse : onClick}
    />
  );
}

/** Of the Enter key in a field browsers make a click on the button that submits: neither submits. */
function refuse(event: MouseEvent): void {
  event.preventDefault();
}

/** A key that is held down presses once, also where what it opens or brings has the focus before it is let go. */
function pressOnce(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter') event.preventDefault();
}
