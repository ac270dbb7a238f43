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
