import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { entryOf, readAll } from './test-support.ts';

const SAMPLES = new URL('../../../../shared/data/statements/mt940-wolph/', import.meta.url);

describe('texts of tag 86', () => {
  test('the payer cannot say whose account he pays from', async () => {
    const claims = [
      [':86:IBAN: NL32INGB0000012345 NAAM: Acme'],
      [':86:REK: NL32INGB0000012345/NAAM: Acme', 'REK: NL76INGB0444444444/NAAM: Mallory'],
      [
        ':86:/IBAN/NL76INGB0444444444/NAME/Mallory/REMI/pays',
        '/NAME/Acme/IBAN/NL32INGB0000012345/CNTP/NL32INGB0000012345/X/Acme',
      ],
      [':86:166?20SVWZ+pays IBAN: NL32INGB0000012345 NAAM: Acme?31DE75512108001245126199?32Mallory'],
    ];
    const found = await Promise.all(
      claims.map(async (lines) => {
        const [detail] = (await entryOf([':61:260304C1,00NTRFNONREF', ...lines])).details;
        return [detail?.counterpartyName, detail?.counterpartyAccount];
      }),
    );
    assert.deepEqual(found, [
      [null, null],
      ['Mallory', 'NL76INGB0444444444'],
      ['Mallory', 'NL76INGB0444444444'],
      ['Mallory', 'DE75512108001245126199'],
    ]);
  });

  test('a hyphen alone in a text is text', async () => {
    const lines = [':61:260304C1,00NTRFNONREF', ':86:/EREF/E-9/REMI/Dear', '-', 'Sir', '-'];
    const entry = await entryOf([...lines, ':61:2603040304C0,NTRFNONREF', ':86:next']);
    assert.deepEqual(
      [entry.details[0]?.endToEndId, entry.details[0]?.remittanceText],
      ['E-9', 'Dear - Sir -'],
    );
    const two = [...lines, ':62F:C260304EUR1,', ':86:totals', '-', 'BANKNL2A', '940', 'BANKNL2A'];
    const file = [':20:S', ':25:1', ':28C:1', ':60F:C260304EUR0,', ...two, ':20:T', ':25:1', ':28C:2'];
    const { statements } = await readAll([...file, ':60F:C260304EUR1,', ':62F:C260304EUR1,', '-'].join('\n'));
    assert.deepEqual(
      statements.map(({ end, entries }) => [
        end.number,
        entries.map((each) => each.details[0]?.remittanceText),
      ]),
      [
        [1n, ['Dear - Sir -']],
        [2n, []],
      ],
    );
  });
});

/** What a text holds, by the words of the banks, broken anywhere. */
const HELD = {
  endToEndId: /(?:\/EREF\/|EREF\+ ?)(?!\/|NOT|NONREF)[A-Za-z0-9]/,
  counterpartyName: /\/NAME\/[A-Za-z]|\?3[23] ?[A-Za-z]|\/NAAM: |\bNAAM: |\/CNTP\/[^/]*\/[^/]*\/[A-Za-z]/,
  counterpartyAccount: /\/IBAN\/[A-Z]{2}\d|[?>]31 ?[A-Z0-9]{5}|REK: [A-Z]{2}\d|\/CNTP\/[A-Z0-9]{5}/,
} as const;

test('samples lose no reference, name or account that their texts hold', async (t) => {
  if (!existsSync(SAMPLES)) {
    t.skip('the sample statements are not on this machine');
    return;
  }
  let looked = 0;
  const lost: string[] = [];
  for (const name of await readdir(SAMPLES, { recursive: true })) {
    if (!/\.(sta|txt)$/.test(name)) continue;
    const text = (await readFile(new URL(name, SAMPLES))).toString('latin1').replaceAll(/\r\n?/g, '\n');
    for (const [written] of text.matchAll(
      /^:61:.*(?:\n(?!:\d\d[A-Z]?:|-).*)*(?:\n:86:.*(?:\n(?!:\d\d[A-Z]?:|-).*)*)+/gm,
    )) {
      const lines = written.split('\n');
      // Some have been altered beyond what a tag 61 is; `samples.test.ts` says that their files are refused.
      const entry = await entryOf(lines, 'latin1').catch(() => undefined);
      if (entry === undefined) continue;
      looked += 1;
      const joined = written.replaceAll('\n', '');
      for (const [field, held] of Object.entries(HELD)) {
        if (!held.test(joined)) continue;
        if (entry.details[0]?.[field as keyof typeof HELD] === null)
          lost.push(`${name}: ${field} of ${written}`);
      }
    }
  }
  assert(looked >= 80, `only ${looked} entries were looked at`);
  assert.deepEqual(lost, []);
});
