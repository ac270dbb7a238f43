import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUuid, typeId } from '../../../service/src/platform/ids.ts';
import { jumpTarget } from './jump.ts';

test('the message id of a payment file leads to its run', () => {
  for (const instant of [0, Date.parse('2026-03-04T14:30:00Z'), 2 ** 47]) {
    const uuid = newUuid(instant);
    const messageId = `FQ${uuid.replaceAll('-', '')}`;
    assert.equal(jumpTarget(` ${messageId} `), `/payments?run=${typeId('run', uuid)}`);
    assert.equal(jumpTarget(messageId.toUpperCase()), jumpTarget(messageId));
    assert.equal(jumpTarget(messageId.slice(0, -1)), undefined, 'not the whole of it');
  }
});

test('an id leads to its page, and what has none to nowhere', () => {
  const id = typeId('txn', newUuid(0));
  assert.equal(jumpTarget(id), `/transactions/${id}`);
  for (const text of ['', 'EURUSD', 'RF06314546685847', 'cus_short', 'FQ'])
    assert.equal(jumpTarget(text), undefined);
});
