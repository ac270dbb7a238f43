import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StatementEntry, TransactionDetails } from '@firmquote/bank-formats';
import fc from 'fast-check';
import { camt, readAll, txDtls } from '../../../bank-formats/src/test-support.ts';
import { deduplicate } from './deduplicate-entries.ts';
import { type Fingerprint, fingerprintOf, type KnownDetail } from './fingerprint.ts';
import { areChained, areDisjoint, areTwins, numbersBetween, type StatementFacts } from './statement-proof.ts';

let ids = 0;

interface Said extends Partial<TransactionDetails> {
  readonly amount?: bigint;
  readonly day?: string;
  readonly reference?: string | null;
}

/** An entry of one payment, or of several. */
async function entryOf(said: readonly Said[]): Promise<Fingerprint[]> {
  const [template] =
    (await readAll(camt([{ amount: '1.00', details: [txDtls('')] }]))).statements[0]?.entries ?? [];
  assert.ok(template);
  const [detail] = template.details;
  assert.ok(detail);
  const [{ day = '2026-03-04', reference = null } = {}] = said;
  const details = said.map(({ amount = 100n, day: _, reference: __, ...rest }) => ({
    ...detail,
    ...rest,
    amountMinor: amount,
  }));
  const amountMinor = details.reduce((sum, each) => sum + each.amountMinor, 0n);
  const facts: StatementEntry = { ...template, bookingDate: day, bankReference: reference, amountMinor };
  const entryId = `b${++ids}`;
  return details.map((each, index) =>
    fingerprintOf(facts, each, { id: `e${++ids}`, entryId, number: index + 1, payments: details.length }),
  );
}

const one = async (said: Said = {}) => {
  const [only] = await entryOf([said]);
  assert.ok(only);
  return only;
};
const noticed = (entries: readonly Fingerprint[]): KnownDetail[] =>
  entries.map((each) => ({ ...each, sumId: null, repeats: null, isInStatement: false, isInTwin: false }));
const listed = (entries: readonly Fingerprint[]): KnownDetail[] =>
  entries.map((each) => ({ ...each, sumId: null, repeats: null, isInStatement: true, isInTwin: false }));

/** What becomes of a new entry beside one known one: the reason of sameness, that of doubt, or nothing. */
async function verdict(
  known: Said,
  reported: Said,
  kinds: 'notices' | 'statements' | 'notice first' = 'notice first',
) {
  const before = [await one(known)];
  const found = deduplicate(
    [await one(reported)],
    kinds === 'statements' ? listed(before) : noticed(before),
    kinds !== 'notices',
  );
  return found.same[0]?.reason ?? found.doubts[0]?.reason;
}

describe('an entry', () => {
  const uetr = '5f1d5a4e-7a4b-4d0f-9f4e-1a2b3c4d5e6f';
  const other = '6f1d5a4e-7a4b-4d0f-9f4e-1a2b3c4d5e6f';
  const full = { counterpartyName: 'Acme Ltd', counterpartyAccount: 'DE1', remittanceText: 'INV 5' };

  test('is known again by what identifies its payment, in the order of its worth', async () => {
    assert.equal(
      await verdict({ uetr, reference: 'A' }, { uetr, reference: 'B', day: '2026-03-05' }),
      'uetr',
    );
    assert.equal(
      await verdict({ reference: 'A' }, { reference: 'A', remittanceText: 'else' }),
      'bank_reference',
    );
    assert.equal(await verdict({ reference: 'A' }, { detailReference: 'a ' }), 'bank_reference');
    assert.equal(await verdict({ endToEndId: 'E-1' }, { endToEndId: 'E1' }), 'end_to_end_id');
    assert.equal(await verdict(full, full), 'content');
    assert.equal(await verdict(full, { ...full, counterpartyName: null }), 'content');
  });

  test('is another one when anything that identifies it says so', async () => {
    assert.equal(await verdict({ ...full, uetr }, { ...full, uetr: other }), undefined);
    assert.equal(await verdict({ ...full, endToEndId: 'E1' }, { ...full, endToEndId: 'E2' }), undefined);
    assert.equal(await verdict({ ...full, reference: 'A' }, { ...full, reference: 'B' }), undefined);
    assert.equal(
      await verdict({ endToEndId: 'E1', reference: 'A' }, { endToEndId: 'E1', reference: 'B' }),
      undefined,
    );
    assert.equal(await verdict({ ...full, amount: 5n }, full), undefined);
    assert.equal(await verdict({ ...full, day: '2026-03-03' }, full), undefined);
  });

  test('is not known by a part of a text, or by one of party, account and text alone', async () => {
    assert.equal(await verdict({ remittanceText: 'INV 1' }, { remittanceText: 'INV 12' }), undefined);
    assert.equal(await verdict(full, { ...full, remittanceText: 'INV 51' }), undefined);
    assert.equal(await verdict(full, { ...full, counterpartyAccount: 'DE2' }), undefined);
    assert.equal(await verdict(full, { ...full, counterpartyName: 'Acme Limited' }), undefined);
  });

  test('that a notice reported without a word is known by day and amount in the statement', async () => {
    assert.equal(await verdict({}, full), 'day_and_amount');
    assert.equal(await verdict({}, { ...full, endToEndId: 'E1', reference: 'A' }), 'day_and_amount');
    assert.equal(await verdict({}, full, 'statements'), undefined);
    assert.equal(await verdict({}, full, 'notices'), undefined);
  });

  test('of a reference that is used again is a question for a person', async () => {
    const known = { ...full, reference: 'A' };
    assert.equal(await verdict(known, { reference: 'A', day: '2026-03-06' }), 'same_reference_other_date');
    assert.equal(await verdict(known, { reference: 'A', amount: 99n }), 'same_reference_other_amount');
    assert.equal(
      await verdict({ ...known, endToEndId: 'E1' }, { ...known, endToEndId: 'E2' }),
      'same_reference_other_id',
    );
    assert.equal(await verdict({ uetr }, { uetr, amount: 99n }), 'same_uetr_other_amount');
    // Nothing else is the same.
    assert.equal(await verdict(known, { reference: 'A', day: '2026-03-06', amount: 99n }), undefined);
    assert.equal(await verdict(known, { reference: 'A', day: '2026-03-20' }), undefined);
    const ids = [
      { reference: 'A', endToEndId: 'E1' },
      { reference: 'A', endToEndId: 'E2', day: '2026-03-05' },
    ] as const;
    assert.equal(await verdict(...ids), undefined);
    assert.equal(
      await verdict(
        { reference: 'A', endToEndId: 'E1' },
        { reference: 'A', endToEndId: 'E1', day: '2026-03-05' },
      ),
      'bank_reference',
    );
  });

  test('that is booked days after its notice is the same by its end-to-end id; two statements are not', async () => {
    const [notice, later] = [{ endToEndId: 'E1' }, { endToEndId: 'E1', day: '2026-03-07' }];
    assert.equal(await verdict(notice, later), 'end_to_end_id');
    assert.equal(await verdict(notice, later, 'statements'), undefined);
    assert.equal(await verdict(notice, later, 'notices'), undefined);
    assert.equal(await verdict(later, notice), undefined, 'nothing is notified after it was booked');
    assert.equal(await verdict(notice, { ...later, day: '2026-03-14' }), undefined);
  });
});

describe('equal entries', () => {
  test('are counted: as many as were reported before are the same, the others are new', async () => {
    const equal = async (count: number) =>
      Promise.all(Array.from({ length: count }, () => one({ remittanceText: 'X' })));
    const { same, doubts } = deduplicate(await equal(5), noticed(await equal(3)), true);
    assert.equal(same.length, 3);
    assert.equal(new Set(same.map((each) => each.known.id)).size, 3);
    assert.deepEqual(doubts, []);
  });

  test('by the thousand take no time', async () => {
    const many = async (text: string | null, count = 20_000) => {
      const entry = await one({ remittanceText: text });
      return Array.from({ length: count }, () => ({ ...entry, id: `e${++ids}`, entryId: `b${++ids}` }));
    };
    const begun = performance.now();
    assert.equal(deduplicate(await many('A'), noticed(await many('A')), true).same.length, 20_000);
    assert.equal(deduplicate(await many('A'), noticed(await many('B')), true).same.length, 0);
    assert.equal(deduplicate(await many('A'), noticed(await many(null)), true).same.length, 20_000);
    const byId = (await many(null)).map((each) => ({ ...each, endToEndId: each.id }));
    assert.equal(deduplicate(byId, noticed(byId), true).same.length, 20_000);
    assert.ok(performance.now() - begun < 30_000, 'comparing each with each would take hours');
  });

  test('are known again as a whole in any order, and nothing answers twice', async () => {
    const said = fc.record({
      amount: fc.constantFrom(100n, 200n),
      day: fc.constantFrom('2026-03-03', '2026-03-04', '2026-03-05'),
      reference: fc.constantFrom(null, 'A', 'B'),
      endToEndId: fc.constantFrom(null, null, 'E1', 'E2'),
      remittanceText: fc.constantFrom(null, 'INV 1', 'INV 12', 'other'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(said, { maxLength: 12 }),
        fc.array(said, { maxLength: 4 }),
        async (first, more) => {
          const known = noticed(await Promise.all(first.map(one)));
          const again = deduplicate(await Promise.all(first.toReversed().map(one)), known, true);
          assert.equal(again.same.length, first.length, 'everything is known');
          const extended = deduplicate(await Promise.all([...more, ...first].map(one)), known, true);
          for (const { same } of [again, extended]) {
            assert.equal(new Set(same.map((each) => each.known.id)).size, same.length);
            assert.equal(new Set(same.map((each) => each.reported.id)).size, same.length);
            assert.ok(same.every((each) => each.reported.amountMinor === each.known.amountMinor));
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a batch', () => {
  test('is known by its payments, whoever reported them', async () => {
    const singles = [
      await one({ reference: 'N1', endToEndId: 'E1' }),
      await one({ reference: 'N2', endToEndId: 'E2' }),
    ];
    const reported = await entryOf([
      { reference: 'B', endToEndId: 'E2' },
      { endToEndId: 'E1' },
      { endToEndId: 'E3' },
    ]);
    const { same, splits } = deduplicate(reported, noticed(singles), true);
    assert.deepEqual(
      same.map((each) => [each.reported.number, each.known.endToEndId, each.reason]),
      [
        [1, 'E2', 'end_to_end_id'],
        [2, 'E1', 'end_to_end_id'],
      ],
    );
    assert.deepEqual(splits, []);
  });

  test('is the sum of the same statement in another file, beside a payment of its amount', async () => {
    const batch = await entryOf([
      { amount: 100n, reference: 'B' },
      { amount: 200n, reference: 'B' },
    ]);
    const beside = await one({ amount: 300n });
    const known = listed([
      await one({ reference: 'B', amount: 300n }),
      await one({ reference: 'C', amount: 300n }),
    ]);
    const inTwin = known.map((each) => ({ ...each, isInTwin: true }));
    const { same, splits } = deduplicate([beside, ...batch], inTwin, true);
    assert.deepEqual(
      splits.map((each) => each.known.bankReference),
      ['B'],
    );
    assert.deepEqual(
      same.map((each) => [each.reported.id, each.known.bankReference]),
      [[beside.id, 'C']],
    );
  });

  test('is the sum that was reported before, or its sum is the batch', async () => {
    const parts: Said[] = [{ reference: 'B', amount: 100n }, { amount: 200n }];
    const sum = await one({ reference: 'B', amount: 300n });
    const batch = await entryOf(parts);
    const after = deduplicate(batch, noticed([sum]), true);
    assert.deepEqual([after.splits.length, after.splits[0]?.details.length, after.same.length], [1, 2, 0]);
    const before = deduplicate([sum], noticed(batch), true);
    assert.deepEqual(
      before.same.map((each) => each.reason),
      ['sum_of_details'],
    );
    const again = deduplicate(await entryOf(parts), noticed(batch), true);
    assert.deepEqual(
      again.same.map((each) => each.reason),
      ['entry_reference', 'entry_reference'],
    );
  });

  test('is no other money of the same amount', async () => {
    const payment = await one({ amount: 300n, remittanceText: 'INV 7' });
    const batch = await entryOf([{ reference: 'B', amount: 100n }, { amount: 200n }]);
    const { same, splits, doubts } = deduplicate(batch, noticed([payment]), true);
    assert.deepEqual([same, splits, doubts], [[], [], []]);
  });
});

describe('two statements', () => {
  const facts = (patch: Partial<StatementFacts> = {}): StatementFacts => ({
    id: `s${++ids}`,
    fileId: `f${++ids}`,
    kind: 'statement',
    currency: 'EUR',
    number: null,
    page: null,
    isPart: patch.page !== undefined,
    from: '2026-03-04',
    to: '2026-03-04',
    opening: 0n,
    closing: 500n,
    ...patch,
  });
  const verdict = (a: Partial<StatementFacts>, b: Partial<StatementFacts>) => {
    const [one, other] = [facts(a), facts(b)];
    assert.equal(areDisjoint(one, other), areDisjoint(other, one), 'in either order');
    assert.equal(areTwins(one, other), areTwins(other, one), 'in either order');
    return areTwins(one, other) ? 'same' : areDisjoint(one, other) ? 'other' : 'unknown';
  };

  test('of one day whose balances chain are others; with the same balances they are one', () => {
    assert.equal(verdict({}, { opening: 500n, closing: 700n }), 'other');
    assert.equal(verdict({}, {}), 'same');
    assert.equal(verdict({}, { from: '2026-03-03' }), 'same', 'formats date the opening balance differently');
    assert.equal(verdict({}, { kind: 'notification', opening: null, closing: null }), 'unknown');
    assert.equal(verdict({ from: '2026-03-03' }, { opening: 500n, closing: 700n }), 'other');
  });

  test('of other days are others; one that is a part of the other is not', () => {
    assert.equal(
      verdict({}, { from: '2026-03-04', to: '2026-03-05', opening: 500n, closing: 400n }),
      'other',
    );
    assert.equal(verdict({}, { from: '2026-03-06', to: '2026-03-06', opening: 1n, closing: 2n }), 'other');
    const month = { from: '2026-03-01', to: '2026-03-31', opening: 100n, closing: 900n };
    assert.equal(verdict(month, {}), 'unknown');
    // The last day of the month, on which nothing was left of what came in.
    assert.equal(
      verdict(month, { from: '2026-03-31', to: '2026-03-31', opening: 900n, closing: 900n }),
      'unknown',
    );
    assert.equal(
      verdict(month, { from: '2026-03-01', to: '2026-03-01', opening: 100n, closing: 100n }),
      'unknown',
    );
  });

  test('of one day are others when numbered statements lead from one to the other by their balances', () => {
    const first = facts({ number: 1n });
    const second = facts({ number: 2n, opening: 500n, closing: 700n });
    const third = facts({ number: 3n, opening: 700n, closing: 900n });
    assert.deepEqual(numbersBetween(third, first), { first: 2n, last: 2n });
    for (const [a, b] of [
      [first, third],
      [third, first],
    ] as const) {
      assert.equal(areChained(a, b, [second]), true);
      assert.equal(areChained(a, b, []), false, 'one is missing');
      assert.equal(areChained(a, b, [{ ...second, closing: 800n }]), false, 'balances differ');
    }
    assert.equal(numbersBetween(first, second), undefined, 'none is between');
    assert.equal(numbersBetween(first, { ...third, number: null }), undefined);
    assert.equal(numbersBetween(first, facts({ number: 9n })), undefined, 'the same in another format');
  });

  test('are pages of one when they have one number, and others when they are in one file', () => {
    assert.equal(verdict({ number: 7n, page: 1 }, { number: 7n, page: 2 }), 'other');
    assert.equal(verdict({ fileId: 'f', opening: null }, { fileId: 'f', closing: null }), 'other');
  });
});
