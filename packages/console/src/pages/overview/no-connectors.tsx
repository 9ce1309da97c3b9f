import { LinkButton } from '../../parts/link-button.tsx';

/** What to do where there is nothing yet. */
export function NoConnectors() {
  return (
    <div className="empty">
      <p>
        <strong>No connectors yet.</strong> A connector holds one account of one user, answers calls
        to it, and keeps a copy that can be searched.
      </p>
      <div className="row">
        <LinkButton to="/new">Make the first connector</LinkButton>
        <LinkButton to="/connect-link" variant="default">
          Have somebody else connect theirs
        </LinkButton>
      </div>
    </div>
  );
}
