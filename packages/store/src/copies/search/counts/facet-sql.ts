import { LONG_TEXT, MAX_FACET_TEXT } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import type { FieldPlace } from '../filter/field-place.ts';

const MOST = sql.lit(MAX_FACET_TEXT);
const LONG = sql`${sql.lit(LONG_TEXT)}::text`;

/** What a facet looks at in a row. Of texts too long to be told, no more than shows that they are. */
export function facetSql({ sql: value, type }: FieldPlace): RawBuilder<unknown> {
  switch (type) {
    case 'text':
      return sql`case when octet_length(${value}) <= ${MOST} then ${value}
        else ${countedBeginning(value)} end`;
    case 'jsonb':
      // A text of so few bytes is short enough.
      return sql`case when pg_column_size(${value}) > ${MOST} and jsonb_typeof(${value}) = 'string'
        then to_jsonb(${countedBeginning(sql`${value} #>> '{}'`)}) else ${value} end`;
    default:
      return value;
  }
}

function countedBeginning(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`left(${text}, ${sql.lit(MAX_FACET_TEXT + 1)})`;
}

/** Rows to count, with what `facetSql` gives of them. */
interface FacetSource {
  /** Each row has another `n`. */
  readonly rows: RawBuilder<unknown>;
  readonly name: RawBuilder<unknown>;
}

/**
 * How many rows have which values: statements whose rows are the JSON of a value, or `LONG_TEXT`, and
 * how many have it.
 */
export function groupsSql(
  { type }: FieldPlace,
  { rows, name }: FacetSource,
): readonly RawBuilder<unknown>[] {
  const values = sql`select ${name} as value, count(*) as count from ${rows} as r`;
  if (type !== 'jsonb') {
    const json =
      type === 'text'
        ? sql`case when length(value) <= ${MOST} then to_json(value)::text else ${LONG} end`
        : sql`value::text`;
    return [
      sql`select ${json} as value, count from (${values} where ${name} is not null group by ${name}) as g`,
    ];
  }
  const scalars = sql`${values} where jsonb_typeof(${name}) in ('string', 'number', 'boolean') group by ${name}`;
  // An element counts once a row.
  const elements = sql`
    select value, count(*) as count from (
      select distinct n, ${scalarSql(sql`e.value`)} as value
      from ${rows} as r cross join lateral jsonb_array_elements(${name}) as e(value)
      where jsonb_typeof(${name}) = 'array'
    ) as d where value is not null group by value`;
  return [sql`select ${scalarSql(sql`value`)} as value, count from (${scalars}) as g`, elements];
}

/** Nothing of null, objects and arrays. */
function scalarSql(json: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case jsonb_typeof(${json})
    when 'string' then case when length(${json} #>> '{}') <= ${MOST} then ${json}::text else ${LONG} end
    when 'number' then ${json}::text
    when 'boolean' then ${json}::text
  end`;
}
