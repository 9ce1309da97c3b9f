import { LinkButton } from '../../parts/link-button.tsx';
import { useSession } from '../../session/use-session.tsx';
import { TrialStart } from './trial-start.tsx';

/** What to do where there is nothing yet. */
export function NoConnectors() {
  const { state } = useSession();
  const trials = state.at === 'in' ? state.session.trials : [];
  return (
    <div className="empty">
      <p>
        <strong>No connectors yet.</strong> A connector holds one account of one user, answers calls
        to it, and keeps a copy that can be searched.
      </p>
      {trials.map((trial) => (
        <TrialStart key={`${trial.display_name} ${trial.upstream}`} trial={trial} />
      ))}
      <div className="row">
        <LinkButton to="/new" variant={trials.length > 0 ? 'default' : 'filled'}>
          Make the first connector
        </LinkButton>
        <LinkButton to="/connect-link" variant="default">
          Have somebody else connect theirs
        </LinkButton>
      </div>
    </div>
  );
}
