import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatDecimal, parseDecimal } from '@firmquote/fx';
import fc from 'fast-check';
import { FieldError, type Fields, instantOf, required } from './fields.ts';
import { MarketData } from './market-data.ts';
import { Refusals } from './refusals.ts';
import { Symbols } from './symbols.ts';
import { settings } from './testing/harness.ts';
import { ENTRIES_MAX, TopOfBook } from './top-of-book.ts';

type Row = Readonly<Record<string, string>>;

function fields(texts: Row, rows: readonly Row[] = []): Fields {
  return { text: (name) => texts[name] || undefined, rows: () => rows.map((row) => fields(row)) };
}

const bid = (price: string, more: Row = {}): Row => ({ MDEntryType: '0', MDEntryPx: price, ...more });
const ask = (price: string, more: Row = {}): Row => ({ MDEntryType: '1', MDEntryPx: price, ...more });

function book() {
  const refusals = new Refusals();
  const top = new TopOfBook((reason) => refusals.add(reason));
  return {
    refused: () => refusals.counts(),
    replace: (...rows: Row[]) => top.replace(rows.map((row) => fields(row))),
    change: (...rows: Row[]) => {
      for (const row of rows) top.change(fields({ MDUpdateAction: '0', ...row }));
    },
    top: () => {
      const price = top.top();
      return price && [price.bid, price.ask];
    },
  };
}

describe('the top of a book', () => {
  test('is the best of each side, whatever the order and the number of digits', () => {
    const { replace, top } = book();
    replace(ask('1.1003'), bid('1.1'), bid('1.10005'), ask('1.10025'), bid('1.1000'));
    assert.deepEqual(top(), ['1.10005', '1.10025']);
  });

  test('a snapshot takes the place of all that was', () => {
    const { replace, top, refused } = book();
    replace(bid('1.1'), ask('1.2'));
    replace(bid('1.15'));
    assert.equal(top(), undefined);
    assert.deepEqual(refused(), { missing_side: 1 });
  });

  test('changes: by entry id, by reference, by side alone', () => {
    const { replace, change, top } = book();
    replace(bid('1.1', { MDEntryID: 'a' }), ask('1.2', { MDEntryID: 'b' }));
    change(bid('1.11', { MDEntryID: 'c' }));
    assert.deepEqual(top(), ['1.11', '1.2']);
    change({ MDUpdateAction: '2', MDEntryType: '0', MDEntryID: 'c' });
    assert.deepEqual(top(), ['1.1', '1.2']);
    change(bid('1.12', { MDUpdateAction: '1', MDEntryID: 'd', MDEntryRefID: 'a' }));
    assert.deepEqual(top(), ['1.12', '1.2']);
    change({ MDUpdateAction: '2', MDEntryType: '1', MDEntryRefID: 'b' });
    assert.equal(top(), undefined);
    change(ask('1.3'), ask('1.4'));
    assert.deepEqual(top(), ['1.12', '1.4'], 'without ids there is one entry on each side');
  });

  test('what an entry was is over, also where a change or a deletion names it by its id alone', () => {
    const { replace, change, top } = book();
    const both = () => replace(bid('1.1', { MDEntryID: 'a' }), ask('1.2', { MDEntryID: 'b' }));
    both();
    change({ MDUpdateAction: '1', MDEntryID: 'a', MDEntryPx: '1.05' });
    assert.deepEqual(top(), ['1.05', '1.2']);
    change({ MDUpdateAction: '1', MDEntryID: 'c', MDEntryRefID: 'b', MDEntryPx: '1.3' });
    assert.deepEqual(top(), ['1.05', '1.3']);
    change({ MDUpdateAction: '2', MDEntryID: 'c' });
    assert.equal(top(), undefined, 'the offer was deleted');
    both();
    change({ MDUpdateAction: '2', MDEntryRefID: 'a' });
    assert.equal(top(), undefined, 'the bid was deleted');
    both();
    change({ MDUpdateAction: '2', MDEntryID: 'deeper' });
    assert.deepEqual(top(), ['1.1', '1.2'], 'what is not here need not be deleted');
    change(bid('1.09', { MDUpdateAction: '1', MDEntryID: 'a', MDEntryPositionNo: '2' }));
    assert.equal(top(), undefined, 'the bid is not the best one any more');
    assert.throws(() => change({ MDUpdateAction: '1', MDEntryID: 'x', MDEntryPx: '1.1' }), FieldError);
    assert.throws(() => change({ MDUpdateAction: '2' }), FieldError);
  });

  const unusable: readonly (readonly [Row, string])[] = [
    [{ MDEntryPx: '' }, 'bad_price'],
    [{ MDEntryPx: '0' }, 'bad_price'],
    [{ MDEntryPx: '-1.1' }, 'bad_price'],
    [{ MDEntryPx: '1,1' }, 'bad_price'],
    [{ MDEntryPx: '1e0' }, 'bad_price'],
    [{ MDEntryPx: '1.1700000000000001' }, 'bad_price'],
    [{ MDEntryPx: '1170000000000000.1' }, 'bad_price'],
    [{ MDEntryPx: 'NaN' }, 'bad_price'],
    [{ MDEntrySize: '0' }, 'zero_size'],
    [{ MDEntrySize: '0.00' }, 'zero_size'],
    [{ MDEntrySize: '-5' }, 'bad_size'],
    [{ MDEntrySize: 'many' }, 'bad_size'],
  ];
  for (const [wrong, reason] of unusable) {
    test(`a bid with ${JSON.stringify(wrong)} is refused, and so is what it replaced`, () => {
      const { replace, change, top, refused } = book();
      replace(bid('1.1', { MDEntrySize: '1' }), ask('1.2'));
      change({ ...bid('1.1', { MDEntrySize: '1' }), ...wrong });
      assert.equal(top(), undefined);
      assert.deepEqual(refused(), { [reason]: 1, missing_side: 1 });
    });
  }

  test('deeper levels, trades and other entries are passed over', () => {
    const { replace, top, refused } = book();
    replace(bid('1.1'), ask('1.2'), bid('1.15', { MDEntryPositionNo: '2' }), {
      MDEntryType: '2',
      MDEntryPx: '1.13',
    });
    assert.deepEqual(top(), ['1.1', '1.2']);
    assert.deepEqual(refused(), {});
  });

  test('does not grow without end', () => {
    const { change, refused } = book();
    for (let id = 0; id < ENTRIES_MAX + 3; id++) change(bid('1.1', { MDEntryID: `e${id}` }));
    assert.deepEqual(refused(), { too_many_entries: 3 });
  });
});

describe('market data', () => {
  function data() {
    const reported: string[] = [];
    const refusals = new Refusals();
    const session = settings(1, { pairs: ['EURUSD', 'USDJPY'], updates: 'incremental' });
    const symbols = new Symbols(session.pairs, '/');
    const market = new MarketData(session, symbols, refusals, (pair, price) =>
      reported.push(`${pair} ${price?.bid ?? 'gone'}`),
    );
    return { market, reported, refused: () => refusals.counts(), requests: market.subscribe(0) };
  }

  test('one request for each pair, for the top of the book', () => {
    const { requests } = data();
    assert.deepEqual(
      requests.map(({ MDReqID, MarketDepth, InstrmtMDReqGrp }) => [
        MDReqID,
        MarketDepth,
        InstrmtMDReqGrp?.NoRelatedSym?.[0]?.Instrument?.Symbol,
      ]),
      [
        ['md-0-EURUSD', '1', 'EUR/USD'],
        ['md-0-USDJPY', '1', 'USD/JPY'],
      ],
    );
  });

  test('a symbol that was not asked for, or is not that of the request, is refused', () => {
    const { market, reported, refused } = data();
    const rows = [bid('1.1'), ask('1.2')];
    market.snapshot(fields({ Symbol: 'GBP/USD' }, rows));
    market.snapshot(fields({ Symbol: 'EUR/USD', MDReqID: 'md-0-USDJPY' }, rows));
    market.snapshot(fields({ Symbol: 'EUR/USD', MDReqID: 'other' }, rows));
    assert.throws(() => market.snapshot(fields({}, rows)), FieldError);
    assert.deepEqual(reported, []);
    assert.deepEqual(refused(), { unknown_symbol: 2, not_requested: 1 });
    market.snapshot(fields({ Symbol: 'EUR/USD' }, rows));
    assert.deepEqual(reported, ['EURUSD 1.1']);
  });

  test('changes of several pairs in one message make one price each; the request names the pair of the others', () => {
    const { market, reported, refused } = data();
    const row = (symbol: string, entry: Row): Row => ({ MDUpdateAction: '0', Symbol: symbol, ...entry });
    market.changes(
      fields({}, [
        row('EUR/USD', bid('1.1')),
        row('EUR/USD', ask('1.2')),
        row('USD/JPY', bid('155.1')),
        row('USD/JPY', ask('155.2')),
        row('XAU/USD', ask('1')),
      ]),
    );
    assert.deepEqual(reported, ['EURUSD 1.1', 'USDJPY 155.1']);
    assert.deepEqual(refused(), { unknown_symbol: 1 });
    market.changes(fields({ MDReqID: 'md-0-EURUSD' }, [row('', bid('1.15'))]));
    assert.deepEqual(reported.at(-1), 'EURUSD 1.15');
  });

  test('an entry without a symbol is of the entry that it changes, else of the symbol before it', () => {
    const { market, reported } = data();
    const row = (entry: Row, action = '0'): Row => ({ MDUpdateAction: action, ...entry });
    market.changes(
      fields({}, [
        row({ Symbol: 'EUR/USD', ...bid('1.1', { MDEntryID: 'eb' }) }),
        row(ask('1.2', { MDEntryID: 'ea' })),
        row({ Symbol: 'USD/JPY', ...bid('155.1', { MDEntryID: 'jb' }) }),
        row(ask('155.2', { MDEntryID: 'ja' })),
        row({ Symbol: 'XAU/USD', ...bid('1', { MDEntryID: 'xb' }) }),
        row(ask('2', { MDEntryID: 'xa' })),
      ]),
    );
    assert.deepEqual(reported, ['EURUSD 1.1', 'USDJPY 155.1']);
    market.changes(
      fields({}, [row({ MDEntryID: 'ja', MDEntryType: '1' }, '2'), row({ MDEntryID: 'ea' }, '2')]),
    );
    assert.deepEqual(reported.slice(2), ['USDJPY gone', 'EURUSD gone'], 'both offers were deleted');
    assert.throws(() => market.changes(fields({}, [row(bid('1.3'))])), FieldError, 'nobody knows of what');
  });

  test('a new logon begins with empty books', () => {
    const { market, reported, refused } = data();
    market.snapshot(fields({ Symbol: 'EUR/USD' }, [bid('1.1'), ask('1.2')]));
    market.subscribe(1);
    market.changes(fields({ MDReqID: 'md-1-EURUSD' }, [{ MDUpdateAction: '1', ...bid('1.15') }]));
    market.changes(fields({ MDReqID: 'md-0-EURUSD' }, [{ MDUpdateAction: '1', ...bid('1.16') }]));
    assert.deepEqual(reported, ['EURUSD 1.1', 'EURUSD gone']);
    assert.deepEqual(refused(), { missing_side: 1, not_requested: 1 });
  });

  test('after a loss, changes that may be of the subscription before are not taken', () => {
    const { market, reported, refused } = data();
    const both = (bidPx: string, askPx: string) => [
      { MDUpdateAction: '0', Symbol: 'EUR/USD', ...bid(bidPx, { MDEntryID: 'b' }) },
      { MDUpdateAction: '0', Symbol: 'EUR/USD', ...ask(askPx, { MDEntryID: 'a' }) },
    ];
    market.snapshot(fields({ Symbol: 'EUR/USD' }, [bid('1.1'), ask('1.2')]));
    market.lose();
    assert.equal(market.again(1_000).length, 4);
    // On its way when the venue was asked anew; it names no request, as FIX 4.4 allows.
    market.changes(fields({}, both('1.05', '1.25')));
    market.changes(fields({ MDReqID: 'md-0-EURUSD' }, both('1.06', '1.26')));
    assert.deepEqual(reported, ['EURUSD 1.1', 'EURUSD gone', 'USDJPY gone']);
    assert.deepEqual(refused(), { unknown_book: 2, not_requested: 1 });
    market.changes(fields({ MDReqID: 'md-rs-EURUSD' }, both('1.11', '1.21')));
    market.changes(fields({}, both('1.12', '1.22')));
    assert.deepEqual(reported.slice(3), ['EURUSD 1.11', 'EURUSD 1.12'], 'what names the new one');
    market.changes(fields({}, [{ MDUpdateAction: '0', Symbol: 'USD/JPY', ...bid('155.1') }]));
    market.snapshot(fields({ Symbol: 'USD/JPY' }, [bid('155.2'), ask('155.3')]));
    market.changes(fields({}, [{ MDUpdateAction: '0', Symbol: 'USD/JPY', ...bid('155.25') }]));
    assert.deepEqual(
      reported.slice(5),
      ['USDJPY 155.2', 'USDJPY 155.25'],
      'a whole book, and what follows it',
    );
  });

  test('a whole book that is not taken is asked for anew where only changes would follow', () => {
    const { market, reported, refused } = data();
    const row = (entry: Row): Row => ({ MDUpdateAction: '0', Symbol: 'EUR/USD', ...entry });
    market.refused(fields({ Symbol: 'EUR/USD', MDReqID: 'md-0-EURUSD' }, [bid('1.1'), ask('1.2')]));
    market.changes(fields({ MDReqID: 'md-0-EURUSD' }, [row(bid('1.05')), row(ask('1.25'))]));
    assert.deepEqual(reported, ['EURUSD gone']);
    assert.deepEqual(refused(), { unknown_book: 2 });
    assert.equal(market.again(1_000).length, 4);
    market.rejected(fields({ MDReqID: 'md-rs-EURUSD', MDReqRejReason: '0' }));
    assert.deepEqual(market.again(2_000), [], 'a pair that the venue does not give is not asked for again');
  });

  test('changes under the request of one pair are not those of another', () => {
    const { market, reported, refused } = data();
    market.snapshot(fields({ Symbol: 'EUR/USD' }, [bid('1.1'), ask('1.2')]));
    const row = { MDUpdateAction: '0', Symbol: 'EUR/USD', ...bid('1.19') };
    market.changes(fields({ MDReqID: 'md-0-USDJPY' }, [row]));
    assert.deepEqual(reported, ['EURUSD 1.1']);
    assert.deepEqual(refused(), { unknown_symbol: 1 });
  });
});

test('timestamps are read to the millisecond, and nothing else is taken for one', () => {
  assert.equal(instantOf('20260304-14:30:00.123'), Date.UTC(2026, 2, 4, 14, 30, 0, 123));
  assert.equal(instantOf('20260304-14:30:00'), Date.UTC(2026, 2, 4, 14, 30));
  assert.equal(instantOf('20260304-14:30:00.123456789'), Date.UTC(2026, 2, 4, 14, 30, 0, 123));
  for (const text of [
    undefined,
    '',
    '20260304',
    '20260304-24:30:00',
    '20261304-14:30:00',
    '2026-03-04T14:30:00Z',
  ]) {
    assert.equal(instantOf(text), undefined, String(text));
  }
  assert.throws(() => required(fields({}), 'Symbol'), /Symbol is missing/);
});

test('whatever comes, the top is the best of what stands', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const price = fc.record({
    units: fc.integer({ min: 1, max: 99_999 }),
    scale: fc.integer({ min: 0, max: 6 }),
  });
  const step = fc.record({ side: fc.constantFrom('0', '1'), id, price: fc.option(price) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { change, top } = book();
      const model = { '0': new Map<string, bigint>(), '1': new Map<string, bigint>() };
      for (const { side, id: entry, price: given } of steps) {
        const stands = side === '0' ? model['0'] : model['1'];
        if (given === null) {
          change({ MDUpdateAction: '2', MDEntryType: side, MDEntryID: entry });
          stands.delete(entry);
          continue;
        }
        const text = formatDecimal({ units: BigInt(given.units), scale: given.scale });
        change({ MDEntryType: side, MDEntryPx: text, MDEntryID: entry });
        // In millionths, which all of these prices are whole numbers of.
        stands.set(entry, BigInt(given.units) * 10n ** BigInt(6 - given.scale));
      }
      const reported = top()?.map((text) => {
        const decimal = parseDecimal(text);
        return decimal && decimal.units * 10n ** BigInt(6 - decimal.scale);
      });
      const [bids, asks] = [[...model['0'].values()], [...model['1'].values()]];
      const best =
        bids.length === 0 || asks.length === 0 ? undefined : [max(bids), -max(asks.map((one) => -one))];
      assert.deepEqual(reported, best);
    }),
  );
});

function max(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most));
}
