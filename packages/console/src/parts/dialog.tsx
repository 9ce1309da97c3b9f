import './dialog.css';
import { useLayoutEffect, useRef, type ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** Asked for with the Escape key, too. */
  readonly onClose: () => void;
  readonly className?: string;
  /** What is marked by `data-autofocus` has the focus first; else the first that can have it. */
  readonly children: ReactNode;
}

/** A question before everything else: the browser keeps the focus in it, and gives it back afterwards. */
export function Dialog({ title, onClose, className = '', children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    // Of one that is only taken away the browser gives no focus back.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-labelledby="dialog-title"
      onClose={onClose}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}
