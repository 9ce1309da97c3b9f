/** Harmless words and sentences that seeded records are put together from. */

export const TITLES: readonly [string, ...string[]] = [
  'Support engineer',
  'Head of lanterns',
  'Release gardener',
  'Account manager',
  'Data wrangler',
  'Office manager',
  'Chief of biscuits',
  '',
  'Designer',
  'Engineer, platform',
];

interface Status {
  readonly text: string;
  readonly emoji: string;
}

export const STATUSES: readonly [Status, ...Status[]] = [
  { text: '', emoji: '' },
  { text: '', emoji: '' },
  { text: 'In a meeting', emoji: ':calendar:' },
  { text: 'On holiday 🌴', emoji: ':palm_tree:' },
  { text: 'Focusing & not to be disturbed', emoji: ':no_bell:' },
];

interface TimeZone {
  readonly tz: string;
  readonly label: string;
  /** Seconds from UTC. */
  readonly offset: number;
}

export const TIME_ZONES: readonly [TimeZone, ...TimeZone[]] = [
  { tz: 'Europe/Amsterdam', label: 'Central European Time', offset: 3_600 },
  { tz: 'America/New_York', label: 'Eastern Standard Time', offset: -18_000 },
  { tz: 'Asia/Kolkata', label: 'India Standard Time', offset: 19_800 },
  { tz: 'Australia/Adelaide', label: 'Australian Central Daylight Time', offset: 37_800 },
  { tz: 'Etc/UTC', label: 'Coordinated Universal Time', offset: 0 },
];

export const COLORS: readonly [string, ...string[]] = [
  '9f69e7',
  '4bbe2e',
  'e7392d',
  '3c989f',
  '674b1b',
  'e96699',
];

export const TOPIC_WORDS: readonly [string, ...string[]] = [
  'proj',
  'team',
  'help',
  'ops',
  'feedback',
  'support',
  'launch',
  'incident',
  'guild',
  'social',
];

export const SUBJECT_WORDS: readonly [string, ...string[]] = [
  'atlas',
  'beacon',
  'cinder',
  'drift',
  'ember',
  'fjord',
  'granite',
  'harbour',
  'island',
  'juniper',
  'kite',
  'lantern',
  'meadow',
  'nimbus',
  'orchard',
  'prairie',
  'quartz',
  'ripple',
  'summit',
  'tide',
];

export const SENTENCES: readonly [string, ...string[]] = [
  'The deploy went out at noon, everything is green.',
  'Can someone look at the failing import for the *Northwind* account?',
  'Lunch is here :taco: come and get it',
  'I wrote down the steps: <https://wiki.example.com/runbook|the runbook> should be complete now.',
  'Reminder: the retro is tomorrow at 10.',
  'Fish &amp; chips, 5 &lt; 6 &gt; 4 &amp; so on.',
  '日本語のメッセージです。よろしくお願いします。',
  'Größe, façade, señor, Łódź, İstanbul, ﬁn: does the search still find them?',
  'Party 🎉 for the team 👩‍👩‍👧‍👦 with flags 🇳🇱 and 𝒻𝒶𝓃𝒸𝓎 letters 𠜎',
  'مرحبا بالعالم, and back to left-to-right.',
  'Line one\nLine two\n\n```const answer = 42;```',
  'Thanks!',
  'Who owns the flaky test in the billing suite? It failed `3` times today.',
  'Numbers for the quarter: 1,204 tickets closed, 98.6% within the target.',
  '>quoted text from a customer\nWe should call them back.',
  'e\u0301 is not the same string as é.',
];

export const REPLIES: readonly [string, ...string[]] = [
  'On it.',
  'Done :white_check_mark:',
  'Thanks, that helped!',
  'Could you send me the log?',
  '👍',
  'I cannot reproduce it here.',
  'Same for me since this morning.',
  'ok',
  'Fixed in the next build',
];

export const EMOJI_NAMES: readonly [string, ...string[]] = [
  '+1',
  'eyes',
  'tada',
  'white_check_mark',
  'heart',
  'rocket',
  'thinking_face',
  'wave::skin-tone-3',
];
