import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventIdPrefix, eventSequenceOf, newUuid, parseTypeId, typeId, uuidFloor } from './ids.ts';

// Vectors of the TypeID specification (valid.yml of spec 0.3).
const VECTORS: readonly [string, string][] = [
  ['00000000-0000-0000-0000-000000000000', '00000000000000000000000000'],
  ['00000000-0000-0000-0000-000000000001', '00000000000000000000000001'],
  ['00000000-0000-0000-0000-00000000000a', '0000000000000000000000000a'],
  ['00000000-0000-0000-0000-000000000010', '0000000000000000000000000g'],
  ['00000000-0000-0000-0000-000000000020', '00000000000000000000000010'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', '7zzzzzzzzzzzzzzzzzzzzzzzzz'],
  ['0110c853-1d09-52d8-d73e-1194e95b5f19', '0123456789abcdefghjkmnpqrs'],
  ['01890a5d-ac96-774b-bcce-b302099a8057', '01h455vb4pex5vsknk084sn02q'],
];

test('TypeIDs agree with the vectors of the specification', () => {
  for (const [uuid, suffix] of VECTORS) {
    assert.equal(typeId('quote', uuid), `quote_${suffix}`);
    assert.equal(parseTypeId('quote', `quote_${suffix}`), uuid);
  }
});

test('a text that is no TypeID of the prefix is refused', () => {
  for (const text of [
    '',
    'quote_',
    'txn_01h455vb4pex5vsknk084sn02q',
    'quote_8zzzzzzzzzzzzzzzzzzzzzzzzz',
    'quote_01H455VB4PEX5VSKNK084SN02Q',
    'quote_01h455vb4pex5vsknk084sn02l',
    'quote_01h455vb4pex5vsknk084sn02',
    'quote-01h455vb4pex5vsknk084sn02q',
    'quote_01h455vb4pex5vsknk084sn0é2',
  ]) {
    assert.equal(parseTypeId('quote', text), undefined, text);
  }
});

test('every UUID survives the round trip', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      assert.equal(parseTypeId('txn', typeId('txn', uuid)), uuid);
      assert.equal(typeId('txn', uuid.toUpperCase()), typeId('txn', uuid));
    }),
  );
});

test('new ids are version 7, carry the given instant and sort after its floor', () => {
  const instant = Date.UTC(2026, 2, 4, 14, 30);
  const seen = new Set<string>();
  for (let i = 0; i < 2000; i++) {
    const uuid = newUuid(instant);
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16), instant);
    assert.ok(uuid > uuidFloor(instant) && uuid < uuidFloor(instant + 1));
    seen.add(uuid);
  }
  assert.equal(seen.size, 2000);
  // Insertion order is the order of making: within one millisecond too.
  assert.deepEqual([...seen].sort(), [...seen]);
  newUuid(instant + 1);
  assert.ok(!seen.has(newUuid(instant)));
});

test('before 1970 there is no id: the bound is that of 1970', () => {
  assert.equal(uuidFloor(-62_135_596_800_000), uuidFloor(0));
});

test('an event id leads back to its sequence', () => {
  const prefix = eventIdPrefix(Date.now());
  const hex = prefix + 184_467n.toString(16).padStart(10, '0');
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  assert.equal(eventSequenceOf(uuid), 184_467n);
});
