import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUuid, typeId } from '../platform/ids.ts';
import { effectsOf } from './effects.ts';

const CAME = Date.parse('2026-03-04T14:30:00Z');
const idMadeAt = (instant: number) => typeId('cus', newUuid(instant));

test('ids that were there before are told, those that the command made are open', () => {
  const [old, made] = [idMadeAt(CAME - 60_000), idMadeAt(CAME)];
  const { shown } = effectsOf({ customerId: null }, { customerId: old, entryId: made }, [], [CAME]);
  assert.deepEqual(shown, [
    { at: '/customerId', before: null, after: old },
    { at: '/entryId', before: null, after: '(new)' },
  ]);
});

test('ids of before a clock was moved back are told, and those by the clock of the machine are open', () => {
  const real = CAME + 86_400_000;
  const [ahead, made, client] = [real - 1, CAME + 5_000, real + 5_000].map(idMadeAt);
  const after = { customerId: ahead, entryId: made, clientId: client };
  const { shown } = effectsOf({}, after, [], [CAME, real]);
  assert.deepEqual(
    new Map(shown.map(({ at, after }) => [at, after])),
    new Map([
      ['/clientId', '(new)'],
      ['/customerId', ahead],
      ['/entryId', '(new)'],
    ]),
  );
});

test('the same command tried twice has one digest, with whatever ids; another one has another', () => {
  const tried = (at: number, amount: string) =>
    effectsOf(null, { amount, id: idMadeAt(at), at: new Date(at).toISOString() }, [], [at]).digest;
  assert.equal(tried(CAME, '5.00'), tried(CAME + 3_600_000, '5.00'));
  assert.notEqual(tried(CAME, '5.00'), tried(CAME, '6.00'));
});

test('what is named in the command is compared: the same for another one has another digest', () => {
  const [one, other] = [idMadeAt(CAME - 2_000), idMadeAt(CAME - 1_000)];
  const given = [{ transactionId: one }, { transactionId: other }];
  const digestOf = (transactionId: string) => effectsOf({}, { transactionId }, given, [CAME]).digest;
  assert.notEqual(digestOf(one), digestOf(other));
});
