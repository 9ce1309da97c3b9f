import type { ReactNode } from 'react';

export type Tone = 'error' | 'warning' | 'info' | 'success';

interface Props {
  readonly tone: Tone;
  readonly title: string;
  readonly children?: ReactNode;
}

/** Something that one should know; errors are read out at once. */
export function Notice({ tone, title, children }: Props) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'error' ? 'alert' : 'status'}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}
