import { LINE_PATTERN } from '../http/schema.ts';
import { Type } from '../platform/typebox.ts';

/** What people decide of whole files. */
export const WithdrawFile = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: LINE_PATTERN,
      description: 'Why; kept with it.',
    }),
  },
  { additionalProperties: false },
);

export const AcceptFile = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: LINE_PATTERN,
      description: 'Why the file is right all the same; kept with it.',
    }),
  },
  { additionalProperties: false },
);

export const Nothing = Type.Null({ description: 'No body.' });
