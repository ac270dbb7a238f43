import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { formatDecimal } from '@firmquote/fx';
import { EcbXmlError, readEcbXml } from './ecb-xml.ts';
import { ecbXml } from './sources/test-support.ts';

test('a day with its rates, digit for digit, the euro included', () => {
  const [day, ...more] = readEcbXml(ecbXml({ '2026-04-13': { USD: '1.1684', JPY: '186.750' } }));
  assert.deepEqual(more, []);
  assert.equal(day?.date, '2026-04-13');
  assert.deepEqual(
    [...(day?.unitsPerEuro ?? [])].map(([code, rate]) => `${code} ${formatDecimal(rate)}`),
    ['EUR 1', 'USD 1.1684', 'JPY 186.750'],
  );
});

test('double quotes, other prefixes and comments make no difference', () => {
  const text = `<?xml version="1.0"?><g:Envelope xmlns:g="http://www.gesmes.org/xml/2002-08-01"
    xmlns:e="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><!-- Cube --><e:Cube><e:Cube time="2026-04-13">
    <e:Cube currency="USD" rate="1.1684"/></e:Cube></e:Cube></g:Envelope>`;
  assert.equal(readEcbXml(text)[0]?.unitsPerEuro.size, 2);
});

test('several days in the order of the file', () => {
  const days = readEcbXml(ecbXml({ '2026-04-13': { USD: '1.1684' }, '2026-04-10': { USD: '1.1700' } }));
  assert.deepEqual(
    days.map(({ date }) => date),
    ['2026-04-13', '2026-04-10'],
  );
});

const good = ecbXml({ '2026-04-13': { USD: '1.1684', JPY: '186.75' } });
const WRONG: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  ['nothing', '', /not well-formed/],
  ['another page', '<html><body>Sorry</body></html>', /gesmes:Envelope/],
  ['cut off', good.slice(0, good.indexOf('JPY')), /not well-formed/],
  [
    'a DOCTYPE',
    good.replace('<gesmes:Envelope', '<!DOCTYPE x [<!ENTITY e "1">]><gesmes:Envelope'),
    /DOCTYPE/,
  ],
  ['an entity', good.replace('1.1684', '&e;'), /not well-formed/],
  ['no day', ecbXml({}), /no day/],
  ['no date', ecbXml({ '2026-13-01': { USD: '1.1684' } }), /invalid date/],
  ['no dollar', ecbXml({ '2026-04-13': { JPY: '186.75' } }), /no dollar/],
  ['a rate of zero', good.replace('186.75', '0.00'), /JPY is not a positive number/],
  ['a rate below zero', good.replace('186.75', '-186.75'), /JPY is not a positive number/],
  ['no rate', good.replace(" rate='186.75'", ''), /JPY is not a positive number/],
  ['not available', good.replace('186.75', 'N/A'), /JPY is not a positive number/],
  ['a currency twice', good.replace('JPY', 'USD'), /USD twice/],
  ['the euro itself', good.replace('JPY', 'EUR'), /EUR twice/],
  ['no code', good.replace('JPY', 'yen'), /invalid currency code/],
  [
    'a day twice',
    good.replace('</Cube>\n</gesmes', "<Cube time='2026-04-13'/></Cube>\n</gesmes"),
    /2026-04-13 twice/,
  ],
  ['another namespace', good.replaceAll('eurofxref"', 'other"'), /no day/],
  ['endless nesting', good.replace('<Cube>', '<x>'.repeat(20)), /too deeply/],
];
for (const [what, text, message] of WRONG) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => readEcbXml(text),
      (error) => {
        assert.ok(error instanceof EcbXmlError);
        assert.match(error.message, message);
        assert.ok(!error.message.includes('\n'));
        return true;
      },
    );
  });
}

test('the published file of a day', (t) => {
  const path = resolve(
    import.meta.dirname,
    '../../../../../shared/data/rates/ecb/eurofxref-daily-2017-03-08.xml',
  );
  if (!existsSync(path)) {
    t.skip(`there is no ${path}`);
    return;
  }
  const [day] = readEcbXml(readFileSync(path, 'utf8'));
  const rates = day?.unitsPerEuro;
  assert.equal(day?.date, '2017-03-08');
  const usd = rates?.get('USD');
  const rub = rates?.get('RUB');
  assert.ok(usd && rub);
  assert.deepEqual([formatDecimal(usd), rates?.size], ['1.0556', 32]);
});
