import { hasOpener, outcomeOf } from '../leaving.ts';
import type { ConnectPageSession, ConnectProgress } from '@patchbay/connectors/wire';
import { texts } from '../texts/texts.ts';
import { Leave } from './leave.tsx';

/** It is done; whoever likes can watch the first copy being made. */
export function Connected({ view }: { readonly view: ConnectPageSession }) {
  const label = hasOpener(view) ? texts.close : texts.back(view.application_name);
  return (
    <>
      {view.progress !== null && <FirstCopy progress={view.progress} />}
      <Leave view={view} outcome={outcomeOf(view)} label={label} isPrimary />
    </>
  );
}

function FirstCopy({ progress: { state, entities } }: { readonly progress: ConnectProgress }) {
  const done = entities.filter((each) => each.state === 'idle').length;
  return (
    <section>
      <p role="status">{sentenceOf(state)}</p>
      {entities.length > 0 && (
        <>
          <progress
            max={entities.length}
            value={done}
            aria-label={texts.copied}
            aria-valuetext={texts.copyShare(done, entities.length)}
          />
          <table>
            <caption class="unseen">{texts.copied}</caption>
            <thead>
              <tr>
                <th scope="col">{texts.entity}</th>
                <th scope="col">{texts.state}</th>
                <th scope="col" class="number">
                  {texts.records}
                </th>
              </tr>
            </thead>
            <tbody>
              {entities.map((each) => (
                <tr key={each.entity}>
                  <th scope="row">{texts.nameOf(each.entity)}</th>
                  <td>{texts.states[each.state] ?? each.state}</td>
                  <td class="number">{texts.count(each.records)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}

function sentenceOf(state: ConnectProgress['state']): string {
  switch (state) {
    case 'succeeded':
      return texts.copyDone;
    case 'failed':
      return texts.copyFailed;
    case 'cancelled':
      return texts.copyCancelled;
    default:
      return texts.copyUnderWay;
  }
}
