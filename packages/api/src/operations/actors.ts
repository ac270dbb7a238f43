import { operation } from '../operation.ts';
import { listMatching, required } from '../parameters.ts';
import { CLOSED, literals, named } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** By what name people know those who acted. */

const Actor = named(
  'Actor',
  Type.Object(
    {
      actorId: Type.String({ examples: ['per_01jngx7z5d2r4v6t9k3b1c0a8m'] }),
      type: literals(['person', 'client']),
      name: Type.String(),
    },
    { ...CLOSED, description: 'A person, or a program with an OAuth client.' },
  ),
);
export type Actor = Static<typeof Actor>;

export const listActors = operation({
  id: 'listActors',
  method: 'GET',
  path: '/v1/operator/actors',
  tag: 'Operator: people',
  summary: 'Look up the names of people and clients',
  description:
    'For ids in other responses, such as `proposedBy` or `executedBy`. Whoever sees an id may read its name. Names stay readable after a person leaves or a client is revoked; unknown ids are left out.',
  access: { audience: 'operator', scope: 'operator:*', anyScope: true },
  query: {
    ids: required(
      listMatching(
        /^(per|cli)_[0-7][0-9a-hjkmnp-tv-z]{25}$/,
        'ids of persons or clients, separated by commas',
        'Ids of persons or clients, at most 50.',
      ),
    ),
  },
  answers: { 200: Type.Object({ items: Type.Array(Actor) }, CLOSED) },
});
