import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { Button, Checkbox, CloseButton, NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { pathOfText, textOfPath, type SearchPath } from './search-paths.ts';
import type { ParamDescription } from '../../service/description.ts';
import { isWithin } from '../explorer/param-values.ts';
import type { QuestionFaults } from './question-faults.ts';
import type { Question, SortEntry } from './search-question.ts';

interface Props {
  readonly question: Question;
  readonly paths: readonly SearchPath[];
  /** How many hits a page may have, as `describe` says it. */
  readonly pageSize: ParamDescription | undefined;
  /** What the service found wrong with one of them. */
  readonly faultOf: QuestionFaults['ofOption'];
  readonly onChange: (question: Question) => void;
}

/** What hits carry, in which order they come, and what is counted. */
export function QuestionOptions({ question, paths, pageSize, faultOf, onChange }: Props) {
  const { fields, facets, count, limit } = question;
  const texts = paths.map(({ text }) => text);
  const notObjects = paths.filter(({ type }) => type !== 'object').map(({ text }) => text);
  return (
    <div className="question-options">
      <SortOptions question={question} paths={paths} faultOf={faultOf} onChange={onChange} />
      <TagsInput
        label="Fields"
        description="What hits carry; all fields where there are none."
        size="xs"
        error={faultOf('fields')}
        data={texts}
        limit={100}
        value={fields.map(textOfPath)}
        onChange={(chosen) => onChange({ ...question, fields: chosen.map(pathOfText) })}
      />
      <TagsInput
        label="Facets"
        description="Fields whose values are counted."
        size="xs"
        error={faultOf('facets')}
        data={notObjects}
        limit={100}
        maxTags={10}
        value={facets.map(textOfPath)}
        onChange={(chosen) => onChange({ ...question, facets: chosen.map(pathOfText) })}
      />
      <div className="row counting">
        <Checkbox
          label="Count all that match"
          size="xs"
          checked={count}
          onChange={(event) => onChange({ ...question, count: event.currentTarget.checked })}
        />
        <TextInput
          label="Hits a page"
          className="limit"
          size="xs"
          description={pageSize?.expects.replace(/^an integer /, '')}
          error={faultOf('limit') ?? sizeFault(limit, pageSize)}
          inputMode="numeric"
          value={limit === undefined ? '' : String(limit)}
          onChange={(event) => onChange({ ...question, limit: limitOf(event.currentTarget.value) })}
        />
      </div>
    </div>
  );
}

function SortOptions({ question, paths, faultOf, onChange }: Omit<Props, 'pageSize'>) {
  const { sort } = question;
  const fault = faultOf('sort');
  const sortable = paths.filter(
    ({ isField, type }) => isField && type !== 'object' && type !== 'array',
  );
  const withSort = (changed: readonly SortEntry[]) => onChange({ ...question, sort: changed });
  const unused = sortable.find(({ text }) => !sort.some(({ field }) => field === text));
  return (
    <fieldset className="sort">
      <legend>Sort</legend>
      {fault !== undefined && <p className="condition-fault">{fault}</p>}
      {sort.length === 0 && <p className="dim">The best score first.</p>}
      {sort.map(({ field, order }, index) => (
        <div className="row" key={field}>
          <NativeSelect
            aria-label="Sort by"
            size="xs"
            value={field}
            data={[...new Set([field, ...sortable.map(({ text }) => text)])]}
            onChange={(event) =>
              withSort(sort.with(index, { field: event.currentTarget.value, order }))
            }
          />
          <NativeSelect
            aria-label="Order"
            size="xs"
            value={order}
            data={[
              { value: 'asc', label: 'ascending' },
              { value: 'desc', label: 'descending' },
            ]}
            onChange={(event) =>
              withSort(
                sort.with(index, {
                  field,
                  order: event.currentTarget.value === 'desc' ? 'desc' : 'asc',
                }),
              )
            }
          />
          <CloseButton
            size="sm"
            aria-label={`Do not sort by ${field}`}
            onClick={() => withSort(sort.toSpliced(index, 1))}
          />
        </div>
      ))}
      {unused !== undefined && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => withSort([...sort, { field: unused.text, order: 'asc' }])}
        >
          Sort by a field
        </Button>
      )}
    </fieldset>
  );
}

function sizeFault(limit: number | undefined, size: ParamDescription | undefined) {
  return limit === undefined || size === undefined || isWithin(size.schema, limit)
    ? undefined
    : `must be ${size.expects}`;
}

/** What is no number at all is not taken over; its limits are for the service to judge. */
function limitOf(text: string): number | undefined {
  const digits = text.replaceAll(/\D/g, '');
  return digits === '' ? undefined : Number(digits);
}
