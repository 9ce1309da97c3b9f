import { Button, Loader } from '@mantine/core';
import { useState } from 'react';
import { serverNow } from '../service/server-clock.ts';
import { useNow } from './use-now.ts';

/** A call that is under way, for how long, and a way out. */
export function Running({ onStop }: { readonly onStop: () => void }) {
  const [startedAt] = useState(serverNow);
  const seconds = Math.max(0, Math.floor((useNow(1_000) - startedAt) / 1_000));
  return (
    <>
      <Button variant="default" onClick={onStop}>
        Stop
      </Button>
      <span className="row" role="status">
        <Loader size="xs" /> Running …
      </span>
      {seconds > 0 && <span className="dim">{seconds} s</span>}
    </>
  );
}
