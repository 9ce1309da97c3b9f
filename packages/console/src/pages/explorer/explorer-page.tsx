import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Link } from '../../routing/link.tsx';
import { useConnector, useDescription } from '../../service/connectors.ts';
import { failureOf } from '../../service/failure.ts';
import type { PageProps } from '../../shell/pages.ts';
import { ChooseConnector } from './choose-connector.tsx';
import { Explorer } from './explorer.tsx';

/** Any call of a connector, to be tried out. */
export function ExplorerPage({ params }: PageProps) {
  const { id } = params;
  return id === undefined ? <ChooseConnector /> : <ExplorerOf id={id} />;
}

function ExplorerOf({ id }: { readonly id: string }) {
  const connector = useConnector(id);
  const description = useDescription(id);
  const error = connector.error ?? description.error;
  const again = () => {
    void connector.refetch();
    void description.refetch();
  };
  return (
    <>
      <PageHead
        title="Explorer"
        about={
          connector.data !== undefined && (
            <>
              Calls of <Link to={`/connectors/${id}`}>{connector.data.name}</Link>, external user{' '}
              {connector.data.external_user_id}. They go to the upstream, and do there what they
              say.
            </>
          )
        }
      />
      {error !== null && <FailureNotice failure={failureOf(error)} onRetry={again} />}
      {error === null && description.data === undefined && <Loading what="what can be called" />}
      {description.data !== undefined && <Explorer id={id} kind={description.data} />}
    </>
  );
}
