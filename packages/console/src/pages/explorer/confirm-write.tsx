import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { executeBody, executePath } from '../../service/execute.ts';
import type { Intent } from '../../service/use-call.ts';

interface Props {
  /** What will be sent; nothing is asked where there is none. */
  readonly intent: Intent | undefined;
  /** Where it will be written: "Team chat of alice". */
  readonly where: ReactNode;
  readonly onSend: (intent: Intent) => void;
  readonly onCancel: () => void;
}

/** Shows exactly what a write sends, before it is sent. */
export function ConfirmWrite({ intent, where, onSend, onCancel }: Props) {
  if (intent === undefined) return null;
  return (
    <Dialog title="Send this write?" className="dialog-wide" onClose={onCancel}>
      <Question intent={intent} where={where} />
      <div className="row">
        <Button onClick={() => onSend(intent)} data-autofocus>
          Send
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}

function Question({ intent, where }: { readonly intent: Intent; readonly where: ReactNode }) {
  return (
    <>
      <p>
        It changes data in <strong>{where}</strong>, and cannot be taken back here.
      </p>
      <pre className="code" tabIndex={0} aria-label="What is sent">
        {requestText(intent)}
      </pre>
      <p className="dim">
        The key makes it happen once, also where the answer is lost and it is sent again.
      </p>
    </>
  );
}

function requestText({ call, idempotencyKey = '' }: Intent): string {
  return `POST ${executePath(call)}
Idempotency-Key: ${idempotencyKey}

${JSON.stringify(executeBody(call), null, 2)}`;
}
