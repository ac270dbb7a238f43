import { Instant, nullable } from '../http/schema.ts';
import { Type } from '../platform/typebox.ts';
import { EVENT_TYPES } from './append.ts';

export const EventQuery = Type.Object({
  after: Type.Optional(
    Type.String({ description: 'Id of the last event that was seen; without it, from the oldest kept.' }),
  ),
  types: Type.Optional(Type.String({ description: `Comma list of event types: ${EVENT_TYPES.join(', ')}.` })),
  limit: Type.Optional(Type.String({ description: '1 to 200, default 50.' })),
});

const EventAnswer = Type.Object({
  eventId: Type.String(),
  sequence: Type.Integer({ minimum: 1, description: 'Gapless for each customer.' }),
  type: Type.String(),
  timestamp: Instant,
  data: Type.Object(
    {
      eventId: Type.String(),
      sequence: Type.Integer(),
      version: nullable(Type.Integer()),
      status: nullable(Type.String()),
    },
    { additionalProperties: true },
  ),
});

export const EventList = Type.Object({
  items: Type.Array(EventAnswer),
  lastEventId: nullable(Type.String({ description: 'To be given as `after` next time.' })),
  hasMore: Type.Boolean(),
  missed: Type.Integer({
    minimum: 0,
    description:
      'Events between `after` and the oldest one kept, which are gone: 0 for whoever asks within 30 days of the last one.',
  }),
});
