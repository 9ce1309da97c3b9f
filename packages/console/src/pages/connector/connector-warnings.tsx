import { Fragment } from 'react';
import { Notice } from '../../parts/notice.tsx';
import { plainText } from '../../parts/plain-text.ts';
import { dateTime, numberText } from '../../parts/words.ts';
import { Link } from '../../routing/link.tsx';
import { inWordsOfPages } from '../../service/page-words.ts';
import type { ConnectorInfo, EntitySyncStatus } from '@patchbay/client';
import { tabAddress } from './connector-address.ts';

/** So many names are told at most (docs/wire.md#status-of-syncs). */
const MOST_NAMES = 20;

interface Props {
  readonly connector: ConnectorInfo;
  /** What the vendor is called. */
  readonly vendor: string;
  /** Its copies, as far as they are known. */
  readonly entities: readonly EntitySyncStatus[];
}

/** What somebody has to know of a connector, or to do about it; nothing where all is well. */
export function ConnectorWarnings({ connector, vendor, entities }: Props) {
  return (
    <>
      <StateNotice connector={connector} />
      {connector.warnings.map(({ code, message, ends_at: endsAt }) => (
        <Notice key={`${code} ${message}`} tone="warning" title={inWordsOfPages(message)}>
          <p className="dim">
            <code>{code}</code>
            {endsAt !== undefined && `, on ${dateTime(endsAt)}`}
          </p>
        </Notice>
      ))}
      <DriftNotice vendor={vendor} entities={entities} />
    </>
  );
}

/** What the upstream sends that is not copied (docs/wire.md#status-of-syncs): one notice for all entities. */
function DriftNotice({ vendor, entities }: Pick<Props, 'vendor' | 'entities'>) {
  const drifts = entities.flatMap(({ entity, drift }) =>
    drift === null ? [] : [{ entity, ...drift }],
  );
  const unknown = drifts.filter(({ unknown_fields: names }) => names.length > 0);
  const lost = drifts.filter(({ lost_values: count }) => count > 0);
  return (
    <>
      {unknown.length > 0 && (
        <Notice
          tone="warning"
          title={`${vendor} sends fields that Patchbay does not know yet. They are not copied.`}
        >
          <ul>
            {unknown.map(({ entity, unknown_fields: names }) => (
              <li key={entity}>
                of {entity}: <Names names={names} />
                {names.length >= MOST_NAMES && ' and perhaps others'}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {lost.length > 0 && (
        <Notice
          tone="warning"
          title={`${vendor} sends values of another type than Patchbay expects. They are empty in the copy.`}
        >
          <ul>
            {lost.map(({ entity, lost_values: count, lost_fields: names }) => (
              <li key={entity}>
                of {entity}: {numberText(count)} in <Names names={names} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

function Names({ names }: { readonly names: readonly string[] }) {
  return names.map((name, index) => (
    <Fragment key={name}>
      {index > 0 && ', '}
      <code>
        <bdi>{plainText(name)}</bdi>
      </code>
    </Fragment>
  ));
}

/** What its state means for whoever uses it (docs/wire.md#the-connector-object). */
function StateNotice({ connector }: { readonly connector: ConnectorInfo }) {
  const { id, status, last_error: lastError } = connector;
  switch (status) {
    case 'reauth_required':
      return (
        <Notice
          tone="error"
          title="The upstream refuses the credentials: calls fail until there are new ones."
        >
          {lastError !== null && <p>{inWordsOfPages(lastError.message)}</p>}
          <Link to={tabAddress(id, 'settings')}>Give it new credentials</Link>
        </Notice>
      );
    case 'degraded':
      return (
        <Notice tone="warning" title="The last sync failed. Calls go on; the copy gets older.">
          {lastError !== null && <p>{inWordsOfPages(lastError.message)}</p>}
        </Notice>
      );
    case 'paused':
      return (
        <Notice
          tone="info"
          title="Copying is paused. Calls go on, and searches find what had been copied."
        />
      );
    case 'disabled':
      return (
        <Notice
          tone="warning"
          title="It is disabled: calls and searches are refused, and nothing is copied."
        />
      );
    default:
      return null;
  }
}
