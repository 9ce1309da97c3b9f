import './applications.css';
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { StateBadge } from '../../parts/state-badge.tsx';
import { dateTime, numberText } from '../../parts/words.ts';
import { TableHead } from '../../parts/table-head.tsx';
import { Link } from '../../routing/link.tsx';
import { changeQuery, usePlace } from '../../routing/location.ts';
import type { ListedApplication } from '../../service/applications.ts';
import { useApplicationChoice } from '../../shell/chosen-application.ts';
import { applicationAddress } from './application-address.ts';

/** As many rows as one reads at a time. */
const STEP = 100;
const COLUMNS = ['State', 'Name', 'Client id', 'Calls a minute', 'Made', 'Here'];

/** All applications, to be narrowed down by what they are called. */
export function ApplicationList({
  applications,
}: {
  readonly applications: readonly ListedApplication[];
}) {
  const { query } = usePlace();
  const text = query.get('q') ?? '';
  const [most, setMost] = useState(STEP);
  const found = applications.filter((each) => isLike(each, text));
  const shown = found.slice(0, most);
  return (
    <>
      <TextInput
        className="application-search"
        aria-label="Search applications"
        placeholder="Name or client id"
        value={text}
        onChange={(event) => changeQuery({ q: event.currentTarget.value })}
      />
      {found.length === 0 ? (
        <p className="empty">
          {applications.length === 0 ? 'No applications yet.' : 'No application is like that.'}
        </p>
      ) : (
        <table className="table stacked">
          <TableHead columns={COLUMNS} />
          <tbody>
            {shown.map((application) => (
              <ApplicationRow key={application.id} application={application} />
            ))}
          </tbody>
        </table>
      )}
      {found.length > most && (
        <Button variant="default" onClick={() => setMost(most + STEP)}>
          More applications
        </Button>
      )}
    </>
  );
}

function ApplicationRow({ application }: { readonly application: ListedApplication }) {
  const { id, name, client_id: clientId, rate_limit: limit, revoked_at: revokedAt } = application;
  const choice = useApplicationChoice();
  return (
    <tr>
      <td>
        <StateBadge state={revokedAt === null ? 'active' : 'revoked'} />
      </td>
      <td className="main-cell">
        <Link className="cell-link" to={applicationAddress(id)}>
          {name}
        </Link>
      </td>
      <td>
        <code>{clientId}</code>
      </td>
      <td data-label={limit === null ? undefined : 'calls a minute'}>
        {limit === null ? <span className="dim">as the service</span> : numberText(limit)}
      </td>
      <td className="application-nowrap">{dateTime(application.created_at)}</td>
      <td>
        {revokedAt === null && choice !== undefined && (
          <WorkIn application={application} choice={choice} />
        )}
      </td>
    </tr>
  );
}

interface WorkInProps {
  readonly application: ListedApplication;
  readonly choice: NonNullable<ReturnType<typeof useApplicationChoice>>;
}

/** Whose connectors the other pages show. */
function WorkIn({ application: { id, name }, choice }: WorkInProps) {
  if (choice.chosenId === id) return <span className="dim">You work in it</span>;
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`Work in ${name}`}
      onClick={() => choice.choose(id)}
    >
      Work in it
    </Button>
  );
}

function isLike({ name, client_id: clientId }: ListedApplication, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return name.toLowerCase().includes(wanted) || clientId.includes(wanted);
}
