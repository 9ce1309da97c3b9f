import './dialog.css';
import { useEffect, useRef, type ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** Asked for with the Escape key, too. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A question before everything else: the browser keeps the focus in it, and gives it back afterwards. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}
