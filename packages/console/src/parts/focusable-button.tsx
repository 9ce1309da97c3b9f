import type { ComponentProps, MouseEvent } from 'react';

/**
 * What buttons are made of. One that cannot be pressed says so, and does nothing, but keeps the focus: with the attribute
 * `disabled` browsers take it away, and whoever works without a pointer begins again at the top of the page.
 */
export function FocusableButton({
  disabled = false,
  type = 'button',
  onClick,
  ...rest
}: ComponentProps<'button'>) {
  return (
    <button
      {...rest}
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
