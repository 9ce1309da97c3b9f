import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from '../routing/link.tsx';

interface Props extends ButtonProps {
  readonly to: string;
  readonly children: ReactNode;
}

/** A link that looks like a button: it leads to where something is done. */
export function LinkButton({ to, children, ...rest }: Props) {
  return (
    <Button size="compact-sm" {...rest} component={Link} to={to}>
      {children}
    </Button>
  );
}
