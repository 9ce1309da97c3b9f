import { Loader } from '@mantine/core';

/** Something is on its way. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="loading" role="status">
      <Loader size="xs" /> Loading {what} …
    </p>
  );
}
