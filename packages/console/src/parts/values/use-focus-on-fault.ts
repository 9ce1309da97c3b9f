import { useEffect } from 'react';

/**
 * Goes to the first field that is wrong, in the order in which the page reads; it may be out of sight. Of several forms, it is
 * that of the one in which the focus is.
 *
 * @param attempt Differs with every attempt that went wrong, so that no keystroke moves anybody; `undefined` before.
 */
export function useFocusOnFault(attempt: unknown): void {
  useEffect(() => {
    if (attempt === undefined || attempt === null) return;
    const form = document.activeElement?.closest('form') ?? document.querySelector('#page');
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [attempt]);
}
