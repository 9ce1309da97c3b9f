import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { areShortcutsOn, SHORTCUTS, switchShortcuts } from './shortcuts.ts';

/** What keys do, and the switch of those that are single letters. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const [areOn, setAreOn] = useState(areShortcutsOn);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="shortcuts">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="dim">
        In tables of records the arrow keys, Page up, Page down, Home and End go from one to the
        next.
      </p>
      <Checkbox
        label="Use these keys in this browser"
        checked={areOn}
        onChange={(event) => {
          switchShortcuts(event.currentTarget.checked);
          setAreOn(event.currentTarget.checked);
        }}
      />
      <div>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
