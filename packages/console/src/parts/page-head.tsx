import type { ReactNode } from 'react';

interface Props {
  readonly title: ReactNode;
  /** A line below it. */
  readonly about?: ReactNode;
  /** What can be done here. */
  readonly children?: ReactNode;
}

/** What a page is, and what can be done on it. */
export function PageHead({ title, about, children }: Props) {
  return (
    <div className="page-head">
      <div className="page-head-title">
        <h1>{title}</h1>
        {about !== undefined && <p className="dim">{about}</p>}
      </div>
      <div className="row">{children}</div>
    </div>
  );
}
