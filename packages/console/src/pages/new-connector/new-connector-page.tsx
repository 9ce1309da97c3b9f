import { Button } from '@mantine/core';
import type { KindDescription } from '@patchbay/client';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { KindList } from '../../parts/kind-list.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { goTo, usePlace } from '../../routing/location.ts';
import { failureOf } from '../../service/failure.ts';
import { useKinds } from '../../service/kinds.ts';
import { ConsentOutcome } from './consent-outcome.tsx';
import { ConnectorForm } from './connector-form.tsx';

/** Makes a connector: its kind, then what that asks for. */
export function NewConnectorPage() {
  const { query } = usePlace();
  const { data: kinds, error, refetch } = useKinds();
  const chosen = kinds?.find(({ kind }) => kind === query.get('kind'));
  return (
    <>
      <PageHead
        title={chosen === undefined ? 'New connector' : `New connector: ${chosen.display_name}`}
        about={chosen?.doc ?? 'Which system shall it connect?'}
      >
        {chosen !== undefined && (
          <Button variant="default" size="compact-sm" onClick={() => goTo('/new')}>
            Another kind
          </Button>
        )}
      </PageHead>
      <ConsentOutcome />
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      )}
      {kinds === undefined && error === null && <Loading what="the kinds" />}
      {kinds !== undefined && <Choice kinds={kinds} chosen={chosen} />}
    </>
  );
}

function Choice({
  kinds,
  chosen,
}: {
  readonly kinds: readonly KindDescription[];
  readonly chosen: KindDescription | undefined;
}) {
  if (chosen === undefined)
    return (
      <KindList
        kinds={kinds}
        onChoose={(kind) => goTo(`/new?${new URLSearchParams({ kind }).toString()}`)}
      />
    );
  return <ConnectorForm key={chosen.kind} kind={chosen} />;
}
