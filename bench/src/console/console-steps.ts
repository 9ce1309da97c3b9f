import type { Page } from 'playwright-core';
import { countClicks } from './click-count.ts';
import type { BenchResult } from '../support/measure.ts';

/** What a person does, and sees when it is done. */
interface Step {
  readonly name: string;
  readonly do: (page: Page) => Promise<unknown>;
}

const isFound = (page: Page) =>
  page.getByRole('region', { name: 'Hits of the search' }).locator('tbody tr').first().waitFor();

/** With the sandbox's own connector, for which the empty overview has a button. */
export const TRIAL_STEPS: readonly Step[] = [
  {
    name: 'press the button of the sandbox, until the first search has hits',
    do: async (page) => {
      await page
        .getByRole('button', { name: /^Try it with/ })
        .first()
        .click();
      await isFound(page);
    },
  },
];

/** With a connector of one's own, by the form; what is typed is no click, but each field is clicked into. */
export const FORM_STEPS: readonly Step[] = [
  {
    name: 'choose to make a connector, and its kind',
    do: async (page) => {
      await page.getByRole('link', { name: 'Make the first connector' }).click();
      await page.getByRole('button', { name: 'Slack' }).click();
      await page.getByLabel('External user').waitFor();
    },
  },
  {
    name: 'fill in the form, until the connector is made',
    do: async (page) => {
      await typeInto(page, 'External user', 'alice');
      await typeInto(page, 'API token', 'demo');
      await typeInto(page, 'Lookback window', '7');
      await page.getByLabel('Join channels').selectOption('No');
      await page.getByRole('button', { name: 'Check and create' }).click();
      await page.waitForURL(/\/connectors\/[0-9a-f-]{36}/);
    },
  },
  {
    name: 'wait for the first copy',
    do: async (page) => {
      await page.getByText(/^Last sync .*: succeeded\.$/).waitFor();
    },
  },
  {
    name: 'search, until there are hits',
    do: async (page) => {
      await page.getByRole('link', { name: 'Search', exact: true }).click();
      await page.getByRole('combobox', { name: 'Connector' }).click();
      await page.getByRole('option').first().click();
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await isFound(page);
    },
  },
];

async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label).click();
  await page.keyboard.type(text);
}

/** Takes steps one after another, from the link on. */
export async function takeSteps(
  page: Page,
  link: string,
  {
    way,
    steps,
    aim,
  }: { readonly way: string; readonly steps: readonly Step[]; readonly aim: number },
): Promise<readonly BenchResult[]> {
  const results: BenchResult[] = [];
  const clicks = await countClicks(page);
  const timed = async (name: string, run: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await run();
    results.push({
      name: `${way}: ${name}`,
      value: seconds(performance.now() - startedAt),
      unit: 's',
    });
  };
  await timed('open the link', async () => {
    await page.goto(link);
    await page.getByText('No connectors yet.').waitFor();
  });
  for (const step of steps) await timed(step.name, () => step.do(page));
  const all = results.reduce((sum, { value }) => sum + value, 0);
  return [
    ...results,
    {
      name: `${way}: from the link to the first hits`,
      value: seconds(all * 1_000),
      unit: 's',
      aim,
    },
    { name: `${way}: clicks, the link's among them`, value: clicks() + 1, unit: 'clicks' },
  ];
}

function seconds(ms: number): number {
  return Math.round(ms / 10) / 100;
}
