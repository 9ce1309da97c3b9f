import { Type, type TSchema } from 'typebox';
import type { Warning as KnownWarning } from '../warning.ts';
import { instant, text } from './shape.ts';

/** Something that went or goes well which whoever asks should know. */
export const Warning = Type.Object({
  code: text(),
  message: text('A sentence that stands by itself.'),
  field: Type.Optional(text('What it is about, for example `params.limit`.')),
  did_you_mean: Type.Optional(text()),
  at: Type.Optional(text('Where in that it is.')),
  ends_at: Type.Optional(instant('When that ends which it is about.')),
} satisfies Record<keyof KnownWarning, TSchema>);
