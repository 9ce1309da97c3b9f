import { Button } from '@mantine/core';
import type { KindDescription } from '@patchbay/client';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { KindList } from '../../parts/kind-list.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Link } from '../../routing/link.tsx';
import { goTo, usePlace } from '../../routing/location.ts';
import { failureOf } from '../../service/failure.ts';
import { useKinds } from '../../service/kinds.ts';
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
      <ConsentOutcome query={query} />
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

/** What a person brings back who was at a vendor to consent. */
function ConsentOutcome({ query }: { readonly query: URLSearchParams }) {
  const id = query.get('connector_id');
  const error = query.get('error_description') ?? query.get('error');
  if (error !== null) return <Notice tone="error" title={`Nothing was connected: ${error}`} />;
  if (id === null) return null;
  return (
    <Notice tone="success" title="Connected">
      <Link to={`/connectors/${encodeURIComponent(id)}`}>Go to the connector</Link>
    </Notice>
  );
}
