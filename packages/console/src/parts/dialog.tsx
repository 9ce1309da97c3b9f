import './dialog.css';
import { useLayoutEffect, useRef, type ReactNode } from 'react';

interface Props {
  readonly title: ReactNode;
  /** Asked for with the Escape key, too. */
  readonly onClose: () => void;
  readonly className?: string;
  /** What is marked by `data-autofocus` has the focus first; else the first that can have it. */
  readonly children: ReactNode;
}

/** A question before everything else: the browser keeps the focus in it, and gives it back afterwards. */
export function Dialog({ title, onClose, className = '', children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** Taken away, or hidden with the page when the session ends: nobody has closed it then. */
  const isLeft = useRef(false);
  useLayoutEffect(() => {
    isLeft.current = false;
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    // Of one that is only taken away the browser gives no focus back.
    return () => {
      isLeft.current = true;
      element?.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-labelledby="dialog-title"
      onClose={() => {
        if (!isLeft.current) onClose();
      }}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}
