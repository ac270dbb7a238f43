/** Calendars that follow the moon or yearly announcements: one JSON file per currency, with its source. */
import type { CalendarDefinition } from '../calendar.ts';
import aed from './aed.json' with { type: 'json' };
import bhd from './bhd.json' with { type: 'json' };
import clp from './clp.json' with { type: 'json' };
import cnh from './cnh.json' with { type: 'json' };
import hkd from './hkd.json' with { type: 'json' };
import idr from './idr.json' with { type: 'json' };
import ils from './ils.json' with { type: 'json' };
import inr from './inr.json' with { type: 'json' };
import jod from './jod.json' with { type: 'json' };
import krw from './krw.json' with { type: 'json' };
import kwd from './kwd.json' with { type: 'json' };
import myr from './myr.json' with { type: 'json' };
import omr from './omr.json' with { type: 'json' };
import php from './php.json' with { type: 'json' };
import qar from './qar.json' with { type: 'json' };
import sar from './sar.json' with { type: 'json' };
import sgd from './sgd.json' with { type: 'json' };
import thb from './thb.json' with { type: 'json' };
import turkishLira from './try.json' with { type: 'json' };
import twd from './twd.json' with { type: 'json' };

interface CalendarFile {
  readonly currency: string;
  readonly source: string;
  readonly from: string;
  readonly to: string;
  readonly estimatedFrom: string;
  readonly holidays: Readonly<Record<string, string>>;
}

const FILES: readonly CalendarFile[] = [
  ...[aed, bhd, clp, cnh, hkd, idr, ils, inr, jod],
  ...[krw, kwd, myr, omr, php, qar, sar, sgd, thb, turkishLira, twd],
];

export const calendarsFromFiles: readonly CalendarDefinition[] = FILES.map((file) => ({
  currency: file.currency,
  source: file.source,
  from: file.from,
  to: file.to,
  ...(file.estimatedFrom > file.to ? {} : { estimatedFrom: file.estimatedFrom }),
  holidays: new Map(Object.entries(file.holidays)),
}));
