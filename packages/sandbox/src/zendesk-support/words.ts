/** Invented texts that seeded records are put together from. */

type Texts = readonly [string, ...string[]];

export const SUBJECT_STARTS: Texts = [
  'Cannot sign in to the',
  'Question about the',
  'Refund for the',
  'The export fails in the',
  'Slow answers from the',
  'How do I cancel the',
  'Broken link in the',
  'Größere Probleme mit dem',
  'お問い合わせ:',
  'Feature request 💡 for the',
];

export const SUBJECT_ENDS: Texts = [
  'lantern planner',
  'harbour dashboard',
  'ember invoice',
  'kite reports',
  'orchard webhook',
  'mobile app',
  'meadow "classic" plan',
  'single sign-on page',
  'tide & ripple importer',
  'quartz <beta> editor',
];

export const SENTENCES: Texts = [
  'Since this morning nothing happens when I press the button.',
  'I have tried it in two browsers, with the same result.',
  'Could you have a look at the attached file?',
  'Thank you, that was quick!',
  'The amount should be 12,50 € instead of 15,00 €.',
  'Gestern ging es noch, heute leider nicht mehr.',
  '昨日から動きません。ご確認ください。',
  'Our whole team is waiting 😬 please hurry.',
  'It says "error <42> & try again" at the bottom of the page.',
  'مرحبا، لا أستطيع تسجيل الدخول.',
];

export const TAG_WORDS: Texts = [
  'billing',
  'login',
  'mobile',
  'vip',
  'refund',
  'bug',
  'question',
  'import',
  'größe',
  'sso',
  'enterprise',
  'trial',
];

export const COMPANY_STARTS: Texts = [
  'Northwind',
  'Bluefern',
  'Copperleaf',
  'Dunemoor',
  'Elmgate',
  'Fjordlight',
  'Ångström & Daughters',
  'Grünwald',
];

export const COMPANY_ENDS: Texts = ['Logistics', 'Bakery', 'Labs', 'Insurance', 'Toys', 'Travel'];

export const GROUP_NAMES: Texts = [
  'Support',
  'Billing',
  'Escalations',
  'Onboarding',
  'Night shift',
];

export const ARTICLE_TITLES: Texts = [
  'Getting started with lanterns',
  'Reset your password',
  'Understand your invoice',
  'Import contacts from a file',
  'Set up single sign-on',
  'Häufige Fragen',
  'Keyboard shortcuts ⌨️',
  'What the status colours mean',
];

export const TIME_ZONES: Texts = [
  'Europe/Amsterdam',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Adelaide',
  'Etc/UTC',
];
