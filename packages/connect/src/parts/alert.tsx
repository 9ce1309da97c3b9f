import type { ComponentChildren, Ref } from 'preact';

/** What went wrong; read out at once. The focus can be moved to it. */
export function Alert({
  title,
  children,
  focusRef = null,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly focusRef?: Ref<HTMLDivElement>;
}) {
  return (
    <div class="alert" role="alert" tabIndex={-1} ref={focusRef}>
      <p class="alert-title">{title}</p>
      {children}
    </div>
  );
}
