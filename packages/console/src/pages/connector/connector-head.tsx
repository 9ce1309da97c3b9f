import { Button } from '@mantine/core';
import type { ConnectorChange, ConnectorInfo } from '@patchbay/client';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { FreshnessBar } from '../../parts/freshness-bar.tsx';
import { GivenName } from '../../parts/given-name.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { plainText } from '../../parts/plain-text.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { useConnectorChange, useSyncRequest } from './connector-changes.ts';
import { failureOf } from '../../service/failure.ts';

interface Props {
  readonly connector: ConnectorInfo;
  /** Something has been done that a sync may follow. */
  readonly onChanged: () => void;
}

/** Which connector it is, in what state, and its switches. */
export function ConnectorHead({ connector, onChanged }: Props) {
  const { id, name, status, paused, disabled, freshness } = connector;
  const change = useConnectorChange(id);
  const sync = useSyncRequest(id, onChanged);
  const switchTo = (changed: ConnectorChange) => {
    sync.reset();
    change.mutate(changed, { onSuccess: onChanged });
  };
  const error = change.error ?? sync.error;
  return (
    <>
      <PageHead
        title={
          <span className="row">
            <bdi>{plainText(name)}</bdi>
            <span className="connector-state">
              <StateBadge state={status} />
            </span>
          </span>
        }
        about={<About connector={connector} />}
      >
        <FreshnessBar freshness={freshness} />
        <Button
          size="compact-md"
          disabled={paused || disabled}
          loading={sync.isPending}
          onClick={() => {
            change.reset();
            sync.mutate();
          }}
        >
          Sync now
        </Button>
        <Button
          size="compact-md"
          variant="default"
          disabled={change.isPending}
          onClick={() => switchTo({ paused: !paused })}
        >
          {paused ? 'Resume copying' : 'Pause copying'}
        </Button>
        <Button
          size="compact-md"
          variant="default"
          disabled={change.isPending}
          onClick={() => switchTo({ disabled: !disabled })}
        >
          {disabled ? 'Enable' : 'Disable'}
        </Button>
      </PageHead>
      {error !== null && <FailureNotice failure={failureOf(error)} />}
    </>
  );
}

function About({ connector }: { readonly connector: ConnectorInfo }) {
  const { account, external_user_id: user, id, summarized_source_template: template } = connector;
  return (
    <>
      {template.name}
      {account !== null && (
        <>
          , <GivenName name={account.name ?? account.id} />
        </>
      )}
      , of <GivenName name={user} />, <code>{id}</code>
    </>
  );
}
