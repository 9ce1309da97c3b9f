import { Button, Modal } from '@mantine/core';
import { JsonView } from '../../parts/json-view.tsx';
import { requestOf, type Call } from './run-call.ts';

interface Props {
  /** What would be sent; nothing is asked where it is missing. */
  readonly call: Call | undefined;
  readonly onCancel: () => void;
  readonly onSend: (call: Call) => void;
}

/** Shows what a write sends before it does: it cannot be taken back here. */
export function ConfirmWrite({ call, onCancel, onSend }: Props) {
  return (
    <Modal
      opened={call !== undefined}
      onClose={onCancel}
      title="This writes to the upstream"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {call !== undefined && (
        <div className="form">
          <JsonView label={`POST ${requestOf(call).path}`} value={requestOf(call).body} />
          <div className="row">
            <Button onClick={() => onSend(call)}>Send it</Button>
            <Button variant="default" onClick={onCancel}>
              Do not send
            </Button>
          </div>
        </div>
      )}
    </Modal>
  );
}
