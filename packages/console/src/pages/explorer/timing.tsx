import { isFile, type Answer } from '../../service/execute.ts';
import { numberText } from '../../parts/words.ts';

/**
 * How long a call took, and where: in the service as it tells itself, upstream included, and on the way. What is
 * not told apart there is not told apart here.
 */
export function Timing({ answer }: { readonly answer: Answer }) {
  const { body, roundTripMs } = answer;
  const inService = isFile(body) ? undefined : body.execution_metadata.execution_time_ms;
  // Two clocks: rounding may make the part larger than the whole.
  const onTheWay = Math.max(0, roundTripMs - (inService ?? 0));
  const share = inService === undefined ? 0 : Math.min(1, inService / roundTripMs);
  return (
    <div className="timing">
      <span>{msText(roundTripMs)}</span>
      {inService !== undefined && (
        <>
          <span className="timing-bar" aria-hidden="true">
            <span style={{ width: `${share * 100}%` }} />
          </span>
          <span className="dim">
            service and upstream {msText(inService)}, on the way {msText(onTheWay)}
          </span>
        </>
      )}
    </div>
  );
}

function msText(ms: number): string {
  return `${numberText(Math.round(ms))} ms`;
}
