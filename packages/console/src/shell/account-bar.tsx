import { Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { useServiceEnd } from '../service/service.tsx';
import type { ConsoleSession } from '../session/session-api.ts';
import { useSession } from '../session/use-session.tsx';

interface Props {
  readonly session: ConsoleSession;
  readonly applicationName: string;
  readonly onChangeApplication: (() => void) | undefined;
  readonly onShowKeys: () => void;
}

/** On whose behalf one works here, and the way out. */
export function AccountBar(props: Props) {
  const { session, applicationName, onChangeApplication, onShowKeys } = props;
  const { signOut } = useSession();
  const service = useServiceEnd();
  const { isBusy, failure, run } = useAttempt();
  return (
    <div className="account">
      <div className="account-who">
        <strong title={applicationName}>{applicationName}</strong>
        <span className="dim">{session.role === 'operator' ? 'as operator' : 'application'}</span>
      </div>
      {onChangeApplication !== undefined && (
        <Button size="compact-sm" variant="default" onClick={onChangeApplication}>
          Change application
        </Button>
      )}
      <SchemeButton />
      <Button
        size="compact-sm"
        variant="default"
        aria-keyshortcuts="?"
        className="keys-button"
        onClick={onShowKeys}
      >
        Keys
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={isBusy}
        onClick={() => run(() => leaveWith(service, signOut))}
      >
        Sign out
      </Button>
      {failure !== undefined && <FailureNotice failure={failure} />}
    </div>
  );
}

/** Whoever wants to leave leaves, and waits for no token to be revoked. */
async function leaveWith(
  { close, reopen }: ReturnType<typeof useServiceEnd>,
  signOut: () => Promise<void>,
): Promise<void> {
  close();
  try {
    await signOut();
  } catch (error) {
    reopen();
    throw error;
  }
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'light' ? 'dark' : 'light';
  return (
    <Button size="compact-sm" variant="default" onClick={() => setColorScheme(other)}>
      {other === 'dark' ? 'Dark' : 'Light'} colours
    </Button>
  );
}
