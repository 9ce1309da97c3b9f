import { FailureNotice } from './failure-notice.tsx';
import { Notice } from './notice.tsx';
import { faultsElsewhere, type Failure } from '../service/failure.ts';

interface Props {
  readonly failure: Failure | undefined;
  /** The members that have a field, which shows what is wrong with them. */
  readonly fields: readonly string[];
}

/** Why a form was not saved: at its fields, as far as they stand for what is wrong. */
export function FormFailure({ failure, fields }: Props) {
  if (failure === undefined) return null;
  const elsewhere = faultsElsewhere(failure, new Set(fields));
  if (failure.faults.length > 0 && elsewhere.length === 0)
    return <Notice tone="error" title="Nothing was saved: see what is wrong at the fields." />;
  return <FailureNotice failure={failure} faults={elsewhere} />;
}
