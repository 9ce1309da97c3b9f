import { FailureNotice } from '../../parts/failure-notice.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Link } from '../../routing/link.tsx';
import { useConnectorPages } from '../../service/connectors.ts';
import { failureOf } from '../../service/failure.ts';

const EVERYTHING = { text: '', status: '' };
/** The overview finds any other. */
const MOST_LISTED = 20;

/** Which connector to call. */
export function ChooseConnector() {
  const { data, error, refetch } = useConnectorPages(EVERYTHING);
  const connectors = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      <PageHead title="Explorer" about="Which connector shall be called?" />
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Loading what="the connectors" />}
      {data !== undefined && connectors.length === 0 && (
        <div className="empty">
          <p>There is none yet.</p>
          <div>
            <LinkButton to="/new">Make the first connector</LinkButton>
          </div>
        </div>
      )}
      <ul className="plain-list">
        {connectors.slice(0, MOST_LISTED).map(({ id, name, external_user_id: user, status }) => (
          <li key={id} className="row">
            <StateBadge state={status} />
            <Link to={`/explore/${id}`} className="cell-link">
              {name}
            </Link>
            <span className="dim">{user}</span>
          </li>
        ))}
      </ul>
      {connectors.length > MOST_LISTED && (
        <p>
          <Link to="/">Find another in the overview</Link>
        </p>
      )}
    </>
  );
}
