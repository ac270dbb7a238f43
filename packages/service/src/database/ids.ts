/**
 * Pairs of UUIDs out of two arrays, for statements with a name. The planner would see how many there are and, for few, think that
 * a plan of their own is worth making each time: it takes many times as long as reading the rows. Out of a query it cannot see it.
 */
export const IDS = 'unnest((select $1::uuid[]), (select $2::uuid[]))';
