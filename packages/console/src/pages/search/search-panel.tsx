import { Button } from '@mantine/core';
import { useEffect, useMemo, useRef, useState, type FormEvent } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Running } from '../../parts/running.tsx';
import type { EntityDescription } from '../../service/description.ts';
import { FilterGroup } from './filter-group.tsx';
import { newCondition, newGroup } from './filter-tree.ts';
import { HitsView } from './hits-view.tsx';
import { questionFaults } from './question-faults.ts';
import { QuestionJson } from './question-json.tsx';
import { QuestionOptions } from './question-options.tsx';
import { searchPathsOf } from './search-paths.ts';
import { changedQuestion, newQuestion, paramsOf, type Question } from './search-question.ts';
import { useSearch } from './use-search.ts';

interface Props {
  readonly connectorId: string;
  readonly entity: EntityDescription;
  /** Shows what there is without being asked. */
  readonly asksAtOnce: boolean;
}

/** A search of one entity: as a form, as JSON, and what it finds. */
export function SearchPanel({ connectorId, entity, asksAtOnce }: Props) {
  const paths = useMemo(() => searchPathsOf(entity), [entity]);
  const [question, setQuestion] = useState(newQuestion);
  const [lastAsked, setLastAsked] = useState(question);
  const [isFaulty, setIsFaulty] = useState(false);
  const { found, isRunning, more, search, stop, trouble } = useSearch();
  const faults = useMemo(
    () => questionFaults(trouble?.failure.faults ?? [], lastAsked, question),
    [trouble, lastAsked, question],
  );
  const ask = (asked: Question) => {
    setLastAsked(asked);
    void search({ connectorId, entity: entity.name, action: 'search', params: paramsOf(asked) });
  };
  const hasAsked = useRef(false);
  useEffect(() => {
    if (!asksAtOnce || hasAsked.current) return;
    hasAsked.current = true;
    ask(question);
  });
  const change = (changed: Question) => {
    setIsFaulty(false);
    setQuestion(changed);
  };
  const changeForm = (changed: Question) => change(changedQuestion(changed));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isFaulty) ask(question);
  };
  const narrow = (path: string, value: unknown) => {
    const type = paths.find(({ text }) => text === path)?.type;
    const narrower = changedQuestion(withCondition(question, { path, type, value }));
    change(narrower);
    ask(narrower);
  };
  return (
    <>
      <form className="search" onSubmit={submit} aria-label="Search" noValidate>
        <div className="search-form">
          <FilterGroup
            group={question.filter}
            entity={entity}
            paths={paths}
            faultOf={faults.of}
            onChange={(filter) => changeForm({ ...question, filter })}
          />
          <QuestionOptions
            question={question}
            paths={paths}
            pageSize={pageSizeOf(entity)}
            faultOf={faults.ofOption}
            onChange={changeForm}
          />
          <div className="row">
            <Button type="submit" disabled={isFaulty}>
              Search
            </Button>
            {isRunning && <Running onStop={stop} />}
            {isFaulty && <span className="dim">The JSON has to be mended first.</span>}
          </div>
        </div>
        <QuestionJson question={question} onChange={change} onFault={setIsFaulty} />
      </form>
      {trouble !== undefined && (
        <FailureNotice failure={trouble.failure} faults={faults.elsewhere} />
      )}
      {found !== undefined && (
        <HitsView
          found={found}
          entity={entity}
          isEarlier={trouble !== undefined}
          onMore={isRunning ? undefined : () => void more()}
          onNarrow={narrow}
        />
      )}
    </>
  );
}

function pageSizeOf({ actions }: EntityDescription) {
  const search = actions.find(({ name }) => name === 'search');
  return search?.params.find(({ name }) => name === 'limit');
}

/** The question, and besides that a field has a value, or that an array has it as an element. */
function withCondition(
  question: Question,
  {
    path: name,
    type,
    value,
  }: { readonly path: string; readonly type: string | undefined; readonly value: unknown },
): Question {
  const { facets, filter } = question;
  // Answers name a facet by its path with dots, whatever names it was asked for by.
  const path = facets.find((each) => typeof each !== 'string' && each.join('.') === name) ?? name;
  const condition = newCondition(path, type === 'array' ? 'contains' : 'eq', value);
  const nodes = filter.join === 'all' ? filter.nodes : [filter];
  return { ...question, filter: newGroup('all', [...nodes, condition]) };
}
