import { Component, type ReactNode } from 'react';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { failureOf } from '../service/failure.ts';

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
}

/** A page that breaks, or cannot be loaded, leaves the navigation standing. */
export class PageBoundary extends Component<Props, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <>
        <h1>This page does not work</h1>
        <FailureNotice
          failure={failureOf(this.state.error)}
          onRetry={() => this.setState({ error: undefined })}
        />
      </>
    );
  }
}
