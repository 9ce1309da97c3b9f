/** Invented texts that seeded chats are put together from. */

type Texts = readonly [string, ...string[]];

export const DEPARTMENT_NAMES: Texts = ['Sales', 'Service', 'Rückgaben', 'VIP', 'Nights'];

export const VISITOR_LINES: Texts = [
  'Hello, is anybody there?',
  'My lantern flickers since yesterday 😟',
  'Can I pay in two parts?',
  'Ich warte seit 10 Minuten & nichts passiert.',
  'ありがとうございます',
  'ok',
];

export const AGENT_LINES: Texts = [
  'Good afternoon! How can I help?',
  'Let me look that up for you.',
  'Could you give me the number of your order?',
  'Done ✅ anything else?',
];

export const BROWSERS: Texts = ['Firefox', 'Chrome', 'Safari', 'Edge'];
export const PLATFORMS: Texts = ['Linux', 'Windows', 'Mac OS', 'Android'];
export const CITIES: readonly [City, ...City[]] = [
  { city: 'Amsterdam', region: 'North Holland', code: 'NL', country: 'Netherlands' },
  { city: 'São Paulo', region: 'São Paulo', code: 'BR', country: 'Brazil' },
  { city: 'Osaka', region: 'Osaka', code: 'JP', country: 'Japan' },
];

interface City {
  readonly city: string;
  readonly region: string;
  readonly code: string;
  readonly country: string;
}
