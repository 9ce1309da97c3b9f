import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { faultsOf, missingOf, type Faults } from '../faults.ts';
import { webAddress } from '../return-address.ts';
import { Alert } from '../parts/alert.tsx';
import { EarlierError } from '../parts/earlier-error.tsx';
import { Doc } from '../parts/doc.tsx';
import { Field, fieldId } from '../parts/field.tsx';
import { askConsent, Refusal, sendCredentials } from '../service.ts';
import type { ConnectKind, ConnectPageSession } from '@patchbay/connectors/wire';
import { texts } from '../texts/texts.ts';
import { defaultsOf, enteredBelow, waysOf, type Way } from '../ways.ts';

/** What a person does to connect one kind, and what came of the last attempt. */
export function ConnectForm({
  view,
  kind,
  error: earlierError,
  onAnswer,
  onFailure,
}: {
  readonly view: ConnectPageSession;
  readonly kind: ConnectKind;
  /** What came of an attempt before this one, where it was for the same kind. */
  readonly error: ConnectPageSession['error'];
  readonly onAnswer: (view: ConnectPageSession) => void;
  /** The session may have ended meanwhile, or the attempt got through without an answer. */
  readonly onFailure: () => Promise<void>;
}) {
  const ways = waysOf(kind);
  const [chosen, setChosen] = useState(() => firstChoice(ways)?.key);
  const [values, setValues] = useState(defaultsOf(kind));
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | undefined>();
  const way = ways.find(({ key }) => key === chosen);
  const alert = useFocusOnFailure(failure, way);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (way === undefined || isBusy) return;
    const missing = missingOf(way.fields, values);
    if (Object.keys(missing).length > 0) return setFailure({ faults: missing });
    setBusy(true);
    setFailure(NO_FAILURE);
    try {
      await attempt(way);
    } catch (error) {
      setFailure(failureOf(error, way));
      setBusy(false);
      await onFailure();
    }
  };

  const attempt = async (taken: Way): Promise<void> => {
    const request = {
      connector_type: kind.connector_type,
      config: enteredBelow('config', taken, values),
    };
    if (!taken.isConsent) {
      const credentials = enteredBelow('credentials', taken, values);
      onAnswer(
        await sendCredentials(view.id, { ...request, method: taken.method.name, credentials }),
      );
      setBusy(false);
      return;
    }
    const address = webAddress(await askConsent(view.id, request));
    if (address === undefined) throw new TypeError('The service named no place to sign in.');
    // Busy until the page is left.
    location.assign(address);
  };

  const choose = (key: string) => {
    setChosen(key);
    setFailure(NO_FAILURE);
  };

  return (
    <form noValidate onSubmit={(event) => void submit(event)} aria-busy={isBusy}>
      <Told error={earlierError} failure={failure} focusRef={alert} />
      {way !== undefined && (ways.length === 1 || way.isConsent) && (
        <p>
          <Doc text={way.doc} />
        </p>
      )}
      {ways.length > 1 && <Ways kind={kind} ways={ways} chosen={chosen} onChoose={choose} />}
      {way !== undefined && (
        <>
          <Fields
            key={way.key}
            way={way}
            values={values}
            faults={failure?.faults ?? {}}
            onInput={(path, value) => setValues({ ...values, [path]: value })}
          />
          <button type="submit" class="primary" aria-disabled={isBusy}>
            {wordsOf(way, kind, isBusy)}
          </button>
        </>
      )}
      <p class="said" role="status">
        {isBusy && way !== undefined ? wordsOf(way, kind, true) : ''}
      </p>
    </form>
  );
}

/** Why nothing was connected: at fields, or a sentence about the whole. */
interface Failure {
  readonly faults: Faults;
  readonly told?: string;
}

const NO_FAILURE: Failure = { faults: {} };

function failureOf(error: unknown, way: Way): Failure {
  if (!(error instanceof Refusal)) return { faults: {}, told: texts.unknownOutcome };
  const faults = faultsOf(error, way.fields);
  const isAllAtFields = Object.keys(faults).length === error.problem.errors.length;
  // Faults that no field is shown for are told in the words of the service.
  const isTold = !isAllAtFields || error.problem.errors.length === 0;
  return { faults, ...(isTold ? { told: error.problem.detail } : {}) };
}

/** One that asks for nothing but consent, or the only one; else nobody knows what the person has. */
function firstChoice(ways: readonly Way[]): Way | undefined {
  const [first] = ways;
  return first !== undefined && (first.isConsent || ways.length === 1) ? first : undefined;
}

function wordsOf({ isConsent }: Way, { display_name: name }: ConnectKind, isBusy: boolean): string {
  if (isConsent) return isBusy ? texts.goingTo(name) : texts.continueTo(name);
  return isBusy ? texts.checking(name) : texts.checkAndConnect;
}

type Focused = RefObject<HTMLDivElement | null>;

/** The focus goes to the first field with a fault, else to the sentence. */
function useFocusOnFailure(failure: Failure | undefined, way: Way | undefined): Focused {
  const { faults, told } = failure ?? NO_FAILURE;
  const alert = useRef<HTMLDivElement>(null);
  const first = way?.fields.find(({ path }) => path in faults);
  useEffect(() => {
    if (first !== undefined) document.getElementById(fieldId(first.path))?.focus();
    else if (told !== undefined) alert.current?.focus();
    // Once for every failure, not for every keystroke.
  }, [faults]);
  return alert;
}

/** What came of the last attempt: of the one made here, or else of the one that the session knows of. */
function Told({
  error,
  failure,
  focusRef,
}: {
  readonly error: ConnectPageSession['error'];
  readonly failure: Failure | undefined;
  readonly focusRef: Focused;
}) {
  if (failure?.told !== undefined)
    return (
      <Alert title={texts.somethingIsWrong} focusRef={focusRef}>
        <p>{failure.told}</p>
      </Alert>
    );
  return failure === undefined ? <EarlierError error={error} /> : null;
}

/** Where consent is possible, the others are for those who look for them. */
function Ways({
  kind,
  ways,
  chosen,
  onChoose,
}: {
  readonly kind: ConnectKind;
  readonly ways: readonly Way[];
  readonly chosen: string | undefined;
  readonly onChoose: (key: string) => void;
}) {
  const [first] = ways;
  const choices = (
    <fieldset>
      <legend>{texts.chooseWay(kind.display_name)}</legend>
      {ways.map(({ key, label, doc }, index) => (
        <div class="way" key={key}>
          <input
            type="radio"
            name="way"
            id={`way-${index}`}
            checked={key === chosen}
            aria-describedby={`way-${index}-doc`}
            onChange={() => onChoose(key)}
          />
          <label for={`way-${index}`}>{label}</label>
          <Doc text={doc} id={`way-${index}-doc`} />
        </div>
      ))}
    </fieldset>
  );
  if (first?.isConsent !== true) return choices;
  return (
    <details>
      <summary>{texts.otherWays}</summary>
      {choices}
    </details>
  );
}

function Fields({
  way: { fields },
  values,
  faults,
  onInput,
}: {
  readonly way: Way;
  readonly values: Readonly<Record<string, string>>;
  readonly faults: Faults;
  readonly onInput: (path: string, value: string) => void;
}) {
  const fieldOf = (spec: Way['fields'][number]) => (
    <Field
      key={spec.path}
      spec={spec}
      value={values[spec.path] ?? ''}
      fault={faults[spec.path]}
      onInput={(value) => onInput(spec.path, value)}
    />
  );
  // What is to be chosen stays in sight: its default may be wrong.
  const inSight = fields.filter(({ required, allowed }) => required || allowed !== null);
  const others = fields.filter((each) => !inSight.includes(each));
  return (
    <>
      {inSight.map(fieldOf)}
      {others.length > 0 && (
        <details open={others.some(({ path }) => path in faults)}>
          <summary>{texts.optionalFields}</summary>
          {others.map(fieldOf)}
        </details>
      )}
    </>
  );
}
