import { Button } from '@mantine/core';
import type { ConnectSessionInfo } from '@patchbay/client';
import { GivenName } from '../../../parts/given-name.tsx';
import { plainText } from '../../../parts/plain-text.ts';
import { StateBadge } from '../../../parts/state-badge.tsx';
import { useNow } from '../../../parts/use-now.ts';
import { agoText, dateTime, timeOfDay } from '../../../parts/words.ts';
import { TableHead } from '../../../parts/table-head.tsx';
import { Link } from '../../../routing/link.tsx';
import { useKinds } from '../../../service/kinds.ts';

const COLUMNS = ['State', 'External user', 'Kind', 'Account', 'Made', 'What came of it'];
const TICK_MS = 10_000;

interface Props {
  readonly sessions: readonly ConnectSessionInfo[];
  /** Whether the other pages show connectors of this application. */
  readonly isWorkedIn: boolean;
  readonly onConfirm: (session: ConnectSessionInfo) => void;
}

/** Connect sessions, and what can be done about them. */
export function SessionTable({ sessions, isWorkedIn, onConfirm }: Props) {
  const nowMs = useNow(TICK_MS);
  const { data: kinds = [] } = useKinds();
  const kindOf = ({ connector_type: type }: ConnectSessionInfo) =>
    kinds.find(({ kind }) => kind === type)?.display_name ?? type;
  return (
    <table className="table stacked">
      <TableHead columns={COLUMNS} />
      <tbody>
        {sessions.map((session) => (
          <tr key={session.id}>
            <td title={session.id}>
              <StateBadge state={session.status} />
            </td>
            <td className="main-cell application-name">
              <GivenName name={session.external_user_id} />
              {session.user_label !== null && <span className="dim"> {session.user_label}</span>}
            </td>
            <td>{kindOf(session) ?? <span className="dim">not chosen yet</span>}</td>
            <td>
              {session.account !== null && (
                <GivenName name={session.account.name ?? session.account.id} />
              )}
            </td>
            <td className="application-nowrap" title={dateTime(session.created_at)}>
              {agoText(session.created_at, nowMs)}
            </td>
            <td>
              <Outcome session={session} isWorkedIn={isWorkedIn} onConfirm={onConfirm} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface OutcomeProps extends Omit<Props, 'sessions'> {
  readonly session: ConnectSessionInfo;
}

function Outcome({ session, isWorkedIn, onConfirm }: OutcomeProps) {
  const { status, error, connector_id: connectorId, external_user_id: user } = session;
  if (status === 'unconfirmed')
    return (
      <>
        <Button
          size="compact-xs"
          aria-label={`Confirm the session of ${plainText(user)}`}
          onClick={() => onConfirm(session)}
        >
          Confirm …
        </Button>
        {error !== null && <Trouble error={error} />}
      </>
    );
  if (status === 'succeeded' && connectorId !== null)
    return isWorkedIn ? (
      <Link to={`/connectors/${connectorId}`}>The connector</Link>
    ) : (
      <span className="dim">connected</span>
    );
  if (error !== null) return <Trouble error={error} />;
  if (status !== 'open') return null;
  return <span className="dim">good until {timeOfDay(session.expires_at)}</span>;
}

/** What the last attempt ended with. */
function Trouble({ error }: { readonly error: NonNullable<ConnectSessionInfo['error']> }) {
  return (
    <span>
      {error.message} <code>{error.code}</code>
    </span>
  );
}
