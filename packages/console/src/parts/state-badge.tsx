import { labelOf } from './words.ts';

const TONES: Readonly<Record<string, string>> = {
  active: 'good',
  succeeded: 'good',
  ready: 'good',
  idle: 'good',
  pending: 'calm',
  queued: 'calm',
  running: 'calm',
  syncing: 'calm',
  initializing: 'calm',
  preview: 'calm',
  open: 'calm',
  unconfirmed: 'wary',
  degraded: 'wary',
  forbidden: 'wary',
  reauth_required: 'bad',
  failed: 'bad',
  revoked: 'bad',
};

/** A state, as a word with a dot whose colour says the same; states of later services are calm words. */
export function StateBadge({ state }: { readonly state: string }) {
  return (
    <span className="state">
      <span className={`dot dot-${TONES[state] ?? 'off'}`} aria-hidden="true" />
      {labelOf(state)}
    </span>
  );
}
