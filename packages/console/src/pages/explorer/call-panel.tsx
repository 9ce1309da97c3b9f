import { newIdempotencyKey, type ConnectorInfo, type KindDescription } from '@patchbay/client';
import { useState } from 'react';
import { GivenName } from '../../parts/given-name.tsx';
import { useFocusOnFault } from '../../parts/values/use-focus-on-fault.ts';
import { Running } from '../../parts/running.tsx';
import type { Row } from '../../parts/data/row.ts';
import type { ActionDescription, EntityDescription } from '../../service/description.ts';
import type { Call } from '../../service/execute.ts';
import type { FieldFault } from '../../service/failure.ts';
import { useCall, type Intent, type Trouble } from '../../service/use-call.ts';
import { AnswerView } from './answer-view.tsx';
import { CallForm } from './call-form.tsx';
import { ConfirmWrite } from './confirm-write.tsx';
import { readParams, textsOf, type ParamTexts } from './param-values.ts';
import { SnippetBox } from './snippet-box.tsx';
import { snippetsOf } from './snippets.ts';
import { TroubleNotice } from './trouble-notice.tsx';

interface Props {
  readonly connector: ConnectorInfo;
  readonly kind: KindDescription;
  readonly entity: EntityDescription;
  readonly action: ActionDescription;
}

/** One action: its form, what is sent, and what comes of it. */
export function CallPanel({ connector, kind, entity, action }: Props) {
  const [texts, setTexts] = useState<ParamTexts>({});
  const [ownFaults, setOwnFaults] = useState<readonly FieldFault[]>([]);
  const [asked, setAsked] = useState<Intent>();
  const { answer, isRunning, run, stop, trouble } = useCall();
  useFocusOnFault(ownFaults.length === 0 ? undefined : ownFaults);
  useFocusOnFault(trouble);
  const callOf = (given: ParamTexts): Call => ({
    connectorId: connector.id,
    entity: entity.name,
    action: action.name,
    params: readParams(action.params, given).params,
  });
  const submit = (given: ParamTexts) => {
    const { faults } = readParams(action.params, given);
    setOwnFaults(faults);
    if (faults.length > 0) return;
    const call = callOf(given);
    if (action.writes) setAsked(intentOf(call, trouble));
    else void run({ call });
  };
  const send = (intent: Intent) => {
    setAsked(undefined);
    void run(intent);
  };
  const goOn = (params: Row) => {
    const onward = textsOf(params);
    setTexts(onward);
    submit(onward);
  };
  const place = {
    baseUrl: location.origin,
    kind: kind.kind,
    externalUserId: connector.external_user_id,
    writes: action.writes,
  };
  return (
    <div className="call">
      <div className="call-ask">
        <p>
          {action.doc}{' '}
          <a href={action.reference} target="_blank" rel="noreferrer">
            Reference
          </a>
        </p>
        <CallForm
          action={action}
          texts={texts}
          faults={ownFaults.length > 0 ? ownFaults : (trouble?.failure.faults ?? [])}
          isBusy={isRunning}
          onChange={setTexts}
          onSubmit={() => submit(texts)}
        >
          {isRunning && <Running onStop={stop} />}
        </CallForm>
        <SnippetBox snippets={snippetsOf(callOf(texts), place)} />
        <ConfirmWrite
          intent={asked}
          where={
            <>
              {connector.name} of <GivenName name={connector.external_user_id} />
            </>
          }
          onSend={send}
          onCancel={() => setAsked(undefined)}
        />
      </div>
      <div className="call-answer">
        {trouble !== undefined && (
          <TroubleNotice
            trouble={trouble}
            fields={action.params.map(({ name }) => name)}
            onRepeat={send}
          />
        )}
        {answer === undefined ? (
          trouble === undefined && <p className="dim">The answer will be here.</p>
        ) : (
          <AnswerView
            answer={answer}
            entity={entity}
            isEarlier={isRunning || trouble !== undefined}
            onNextPage={goOn}
          />
        )}
      </div>
    </div>
  );
}

/** A write has a key of its own, and keeps it as long as nobody knows whether it has happened. */
function intentOf(call: Call, trouble: Trouble | undefined): Intent {
  const isSame =
    trouble?.isOutcomeUnknown === true &&
    JSON.stringify(trouble.intent.call) === JSON.stringify(call);
  return isSame ? trouble.intent : { call, idempotencyKey: newIdempotencyKey() };
}
