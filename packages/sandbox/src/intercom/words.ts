/** Invented words that seeded records are put together from. */

interface Place {
  readonly country: string;
  readonly region: string;
  readonly city: string;
  readonly country_code: string;
  readonly continent_code: string;
}

export const PLACES: readonly [Place, ...Place[]] = [
  place('Ireland', 'Leinster', 'Dublin', 'IRL', 'EU'),
  place('Netherlands', 'Noord-Holland', 'Amsterdam', 'NLD', 'EU'),
  place('United States', 'California', 'San José', 'USA', 'NA'),
  place('Brazil', 'São Paulo', 'São Paulo', 'BRA', 'SA'),
  place('Japan', '東京都', '東京', 'JPN', 'AS'),
  place('Poland', 'Łódź Voivodeship', 'Łódź', 'POL', 'EU'),
  place('Australia', 'Victoria', 'Melbourne', 'AUS', 'OC'),
];

interface Browser {
  readonly name: string;
  readonly version: string;
  readonly os: string;
  readonly language: string;
}

export const BROWSERS: readonly [Browser, ...Browser[]] = [
  { name: 'chrome', version: '131.0.6778.86', os: 'OS X 10.15.7', language: 'en' },
  { name: 'firefox', version: '133.0', os: 'Windows 10', language: 'de' },
  { name: 'safari', version: '18.1', os: 'OS X 10.15.7', language: 'pt-BR' },
  { name: 'edge', version: '131.0.2903.70', os: 'Windows 10', language: 'ja' },
];

interface Campaign {
  readonly campaign: string;
  readonly content: string;
  readonly medium: string;
  readonly source: string;
  readonly term: string;
}

export const CAMPAIGNS: readonly [Campaign, ...Campaign[]] = [
  {
    campaign: 'spring-launch',
    content: 'hero_banner',
    medium: 'email',
    source: 'newsletter',
    term: 'help desk',
  },
  {
    campaign: 'größer & besser',
    content: 'text-link',
    medium: 'cpc',
    source: 'search',
    term: 'live chat',
  },
  {
    campaign: 'partners_2025',
    content: 'logo',
    medium: 'referral',
    source: 'directory',
    term: 'crm+sync',
  },
];

export const TAG_NAMES: readonly [string, ...string[]] = [
  'VIP',
  'beta tester',
  'churn risk',
  'größere Kunden',
  'needs/follow-up',
  '日本',
  'newsletter',
  'partner 🤝',
  'billing',
  'bug report',
  'feature request',
  'onboarding',
  'trial',
  'enterprise',
];

export const TEAM_NAMES: readonly [string, ...string[]] = [
  'First line',
  'Billing & refunds',
  'Technical support',
  'Équipe française',
];

export const SEGMENT_NAMES: readonly [string, ...string[]] = [
  'Active',
  'New',
  'Slipping away',
  'Paying in €',
  'Leads from 日本',
];

export const COMPANY_WORDS: readonly [string, ...string[]] = [
  'Lanternworks',
  'Fjord & Sons',
  'Quillmark',
  'Çelik Yazılım',
  'Nimbus Orchard',
  'ハリネズミ商店',
  'Rookhaven Labs',
  'Ember, Tide & Co.',
  'Brindlefen Media',
  'Kestrelby',
];

export const COMPANY_FORMS: readonly [string, ...string[]] = [
  'Works',
  'Labs',
  'Media Group',
  'GmbH',
  'Ltd',
  'Trading & Sons',
];

export const JOB_TITLES: readonly [string, ...string[]] = [
  'Support engineer',
  'Account manager',
  'Head of customer support',
  'Office manager',
  'Software engineer, platform',
  'Release gardener',
];

export const INTERESTS: readonly [string, ...string[]] = [
  'billing',
  'exports',
  'lighthouses',
  'automation',
  'reports',
  'mobile app',
];

export const INDUSTRIES: readonly [string, ...string[]] = [
  'Software',
  'Retail',
  'Healthcare',
  'Education',
  'Lighthouse keeping',
];

interface Plan {
  readonly id: string;
  readonly name: string;
}

export const PLANS: readonly [Plan, ...Plan[]] = [
  { id: '269315', name: 'Pro' },
  { id: '269316', name: 'Starter' },
  { id: '269317', name: 'Enterprise (custom)' },
];

export const SUBJECTS: readonly [string, ...string[]] = [
  'The export stops half-way',
  'Question about my invoice',
  'Übersetzung fehlt',
  'How do I invite a colleague?',
  'ログインできません',
];

export const CONTACT_SENTENCES: readonly [string, ...string[]] = [
  '<p>Hello, the import stops at row 1,204. What can I do?</p>',
  '<p>Where do I find my <b>invoice</b> for March? 5 &lt; 6 &amp; so on.</p>',
  '<p>Grüße aus Köln: die Übersetzung ist nicht vollständig.</p>',
  '<p>ログインできません。助けてください。</p>',
  '<p>It works again 🎉 thank you all 👩‍👩‍👧‍👦</p>',
  '<p>مرحبا, is the service down?</p>',
  '<p>First line</p><p>Second line with a <a href="https://docs.example.com/a?b=1&amp;c=2">link</a></p>',
];

export const ADMIN_SENTENCES: readonly [string, ...string[]] = [
  '<p>Thanks for writing in, I am looking into it.</p>',
  '<p>Could you send us a screenshot?</p>',
  '<p>This is fixed in the next release. <i>Sorry for the trouble!</i></p>',
  '<p>Your invoice is under Settings &gt; Billing.</p>',
];

export const RATING_REMARKS: readonly [string | null, ...(string | null)[]] = [
  null,
  'Quick and friendly 👍',
  'Sehr hilfreich, danke schön',
  '',
];

// oxlint-disable-next-line max-params -- A row of the table above.
function place(
  country: string,
  region: string,
  city: string,
  countryCode: string,
  continentCode: string,
): Place {
  return { country, region, city, country_code: countryCode, continent_code: continentCode };
}
