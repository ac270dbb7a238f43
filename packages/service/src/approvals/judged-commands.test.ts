import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { isOfDesk, subjectOf } from './judged-commands.ts';

const NOTHING = { query: {}, body: {}, ifMatch: undefined };

test('commands on two things are about two, by whatever of the address they differ', () => {
  const judged = Object.values(OPERATIONS).filter(({ id }) => isOfDesk(id));
  assert.ok(judged.length > 30);
  for (const { id, path, params = {} } of judged) {
    const names = Object.keys(params);
    const about = (values: Readonly<Record<string, string>>) =>
      subjectOf(id, path, { ...NOTHING, params: values });
    const one = Object.fromEntries(names.map((name) => [name, `a ${name}`]));
    const last = names.at(-1);
    for (const name of names) {
      // What has an id of its own is found by it alone.
      if (name !== last && params[last as keyof typeof params]?.kind.of === 'id') continue;
      assert.notEqual(about({ ...one, [name]: 'another' }), about(one), `${id} ${name}`);
    }
  }
});

test('the name of a thing may be longer than a subject', () => {
  const about = (bankReference: string) =>
    subjectOf('recordDeposit', '/v1/operator/deposits', { ...NOTHING, params: {}, body: { bankReference } });
  const long = '\u{1f4b6}'.repeat(70);
  assert.notEqual(about(`${long}1`), about(`${long}2`));
  assert.equal(about(`${long}1`), about(`${long}1`));
  for (const subject of [about(long), about('x'.repeat(140))]) {
    assert.ok(subject.length <= 120 && [...subject].length <= 64 && subject.isWellFormed(), subject);
  }
  assert.equal(about('short'), 'deposit short');
});
