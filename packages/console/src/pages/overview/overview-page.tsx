import { FailureNotice } from '../../parts/failure-notice.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { usePlace } from '../../routing/location.ts';
import { useConnectorPages, type ConnectorQuestion } from '../../service/connectors.ts';
import { failureOf } from '../../service/failure.ts';
import { Attention, useAttention } from './attention.tsx';
import { Charts } from './charts.tsx';
import { ConnectorFilter } from './connector-filter.tsx';
import { ConnectorTable } from './connector-table.tsx';
import { NoConnectors } from './no-connectors.tsx';
import { OverviewSkeleton } from './overview-skeleton.tsx';
import { TrialProgress } from './trial-progress.tsx';

/** All connectors of the application, and first those that need somebody. */
export function OverviewPage() {
  const { query } = usePlace();
  const question = { text: query.get('q') ?? '', status: query.get('status') ?? '' };
  const trial = query.get('trial') ?? '';
  return (
    <>
      <PageHead title="Connectors">
        <LinkButton to="/connect-link" variant="default">
          Connect link
        </LinkButton>
        <LinkButton to="/new">New connector</LinkButton>
      </PageHead>
      {trial === '' ? <Connectors question={question} /> : <TrialProgress id={trial} />}
    </>
  );
}

function Connectors({ question }: { readonly question: ConnectorQuestion }) {
  const isNarrowed = question.text !== '' || question.status !== '';
  const pages = useConnectorPages(question);
  const { data, error, refetch } = pages;
  const attention = useAttention();
  const connectors = data?.pages.flatMap((page) => page.data) ?? [];
  // What another question found says nothing of this one.
  const hasNone = data !== undefined && !pages.isPlaceholderData && connectors.length === 0;
  if (hasNone && !isNarrowed) return <NoConnectors />;
  // What stands above the list comes with it, or the list would jump.
  if (error === null && (data === undefined || !attention.isKnown))
    return <OverviewSkeleton hasCharts={!isNarrowed} />;
  return (
    <>
      {!isNarrowed && <Attention dead={attention.dead} failing={attention.failing} />}
      {!isNarrowed && <Charts />}
      <ConnectorFilter question={question} />
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      )}
      {hasNone && <p className="empty">No connector is like that.</p>}
      {connectors.length > 0 && (
        <ConnectorTable
          connectors={connectors}
          hasMore={pages.hasNextPage}
          isStuck={pages.isFetchNextPageError}
          onMore={pages.isFetchingNextPage ? undefined : () => void pages.fetchNextPage()}
        />
      )}
    </>
  );
}
