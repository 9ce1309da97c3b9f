/** Drawn on 16 by 16 units, with the colour of the text around them. */
const PATHS = {
  list: 'M2 4h12M2 8h12M2 12h12',
  plus: 'M8 3v10M3 8h10',
  link: 'M6.5 9.5l3-3M7 4.5l1.2-1.2a2.8 2.8 0 0 1 4 4L11 8.5M9 11.500l-1.200 1.200a2.800 2.800 0 0 1-4-4L5 7.500',
  play: 'M5 3l8 5-8 5z',
  key: 'M4.500 5a3 3 0 1 0 0 6a3 3 0 0 0 0-6M7.500 8H14.500v3M11.500 8v2.500',
  search: 'M7 3a4 4 0 1 0 0 8a4 4 0 0 0 0-8M10 10l3.500 3.500',
} as const;

export type IconName = keyof typeof PATHS;

/** A sign beside words, which say the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
