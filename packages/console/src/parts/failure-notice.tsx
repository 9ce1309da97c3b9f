import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Failure, FieldFault } from '../service/failure.ts';
import { Notice } from './notice.tsx';

interface Props {
  readonly failure: Failure;
  /** Those that no field beside it shows; all of them unless said. */
  readonly faults?: readonly FieldFault[];
  readonly onRetry?: () => void;
  /** What can be done about it here. */
  readonly children?: ReactNode;
}

/** What did not work, in the words of the service, and what its log knows it by. */
export function FailureNotice({ failure, faults = failure.faults, onRetry, children }: Props) {
  const { message, code, requestId } = failure;
  return (
    <Notice tone="error" title={message}>
      {faults.length > 1 && (
        <ul>
          {faults.map(({ field, message: fault }) => (
            <li key={`${field} ${fault}`}>
              <code>{field}</code> {fault}
            </li>
          ))}
        </ul>
      )}
      {children}
      {code !== undefined && (
        <p className="dim">
          <code>{code}</code>
          {requestId !== undefined && (
            <>
              , request <code>{requestId}</code>
            </>
          )}
        </p>
      )}
      {onRetry !== undefined && (
        <Button size="compact-sm" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Notice>
  );
}
