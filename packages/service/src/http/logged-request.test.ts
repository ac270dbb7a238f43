import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggedRequest, readTrace } from './logged-request.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('the trace of the caller is taken over as W3C Trace Context has it', () => {
  const found = { traceId: TRACE, parentId: SPAN };
  for (const header of [
    `00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-00`,
    // What a later version adds is passed over.
    `cc-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`,
  ]) {
    assert.deepEqual(readTrace(header), found, header);
  }
  assert.deepEqual(loggedRequest({ id: 'mine', headers: { traceparent: `00-${TRACE}-${SPAN}-01` } }), {
    requestId: 'mine',
    ...found,
  });
});

test('a wrong one is as if there were none', () => {
  for (const header of [
    undefined,
    '',
    'x',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `cc-${TRACE}-${SPAN}-01.more`,
    `00-${TRACE}-${SPAN}-01\n{"level":"error"}`,
    [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  ]) {
    assert.equal(readTrace(header), undefined, String(header));
  }
  assert.deepEqual(loggedRequest({ id: 'mine', headers: {} }), { requestId: 'mine' });
});
