import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { paramsOf, questionOf, type Question } from './search-question.ts';

interface Props {
  readonly question: Question;
  readonly onChange: (question: Question) => void;
  /** Whether what stands there is no search, so that the form has the last one that was. */
  readonly onFault: (isFaulty: boolean) => void;
}

interface Draft {
  readonly text: string;
  /** The question that the text says, or stood beside it when it went wrong. */
  readonly question: Question;
  readonly fault?: string;
}

/** The same search as JSON: either changes the other. */
export function QuestionJson({ question, onChange, onFault }: Props) {
  const [draft, setDraft] = useState<Draft>();
  // A change of the form since then is the newer one.
  const isOwn = draft?.question === question;
  const text = isOwn ? draft.text : JSON.stringify(paramsOf(question), null, 2);
  const change = (typed: string) => {
    try {
      const read = questionOf(JSON.parse(typed) as unknown);
      setDraft({ text: typed, question: read });
      onFault(false);
      onChange(read);
    } catch (error) {
      const fault = error instanceof SyntaxError ? 'This is no JSON yet.' : String(error);
      setDraft({ text: typed, question, fault: fault.replace(/^Error: /, '') });
      onFault(true);
    }
  };
  return (
    <Textarea
      label="The same search as JSON"
      className="code-input"
      size="xs"
      rows={16}
      spellCheck={false}
      value={text}
      error={isOwn ? draft.fault : undefined}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
