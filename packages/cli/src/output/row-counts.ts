type Counts = Readonly<Record<string, number>>;

/** Tables of copies that hold no records, but what finds them. */
const OF_ALL_COPIES: ReadonlySet<string> = new Set(['copy_words', 'copy_paths', 'copy_sightings']);

/** What a person knows of the rows of a database: applications, connectors, copied records. */
export function knownCounts(counts: Counts): Counts {
  const records = Object.entries(counts).filter(
    ([table]) => table.startsWith('copy_') && !OF_ALL_COPIES.has(table),
  );
  return {
    applications: counts['applications'] ?? 0,
    connectors: counts['connectors'] ?? 0,
    records: records.reduce((sum, [, count]) => sum + count, 0),
  };
}

/** The same in words; deleted applications and connectors count, since something stays of them. */
export function countsInWords(counts: Counts): string {
  const { applications = 0, connectors = 0, records = 0 } = knownCounts(counts);
  return `${number(applications, 'application')}, ${number(connectors, 'connector')}, ${number(records, 'copied record')}`;
}

function number(count: number, noun: string): string {
  return `${count.toLocaleString('en-GB')} ${noun}${count === 1 ? '' : 's'}`;
}
