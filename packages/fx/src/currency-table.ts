/** One line of the table; see `Currency` for the meaning of each field. */
export type CurrencyRow = readonly [
  code: string,
  numeric: string | undefined,
  name: string,
  minorUnits: number,
  rateDigits: number,
  perUsd: string,
  validity?: { readonly from?: string; readonly to?: string },
];

/**
 * The tradable currencies, and withdrawn ones that old payment instructions may still name.
 *
 * - Codes, numbers, names, minor units: ISO 4217 List One (2024-06-25), amended by the withdrawal of BGN
 *   with Bulgaria's change to the euro on 2026-01-01; withdrawn codes from ISO 4217 List Three.
 * - Pip decimals: the market's 4, or 2 for JPY, HUF, ISK, KRW, CLP, COP, IDR, KZT; 3 for PHP, PKR, THB, TWD;
 *   5 for BHD, OMR; none for VND.
 * - Typical levels: ECB reference rates of 2026-04-13 where it publishes them, market levels of the same
 *   spring elsewhere, the last fixed level for withdrawn currencies. Two digits are enough for their use.
 *
 * Left out on purpose: CLF and other units of account, which nobody can pay out; XAU and XAG, which have no
 * minor unit (the pair order still knows them).
 */
export const CURRENCY_ROWS: readonly CurrencyRow[] = [
  ['AED', '784', 'UAE Dirham', 2, 4, '3.7'],
  ['ARS', '032', 'Argentine Peso', 2, 4, '1400'],
  ['AUD', '036', 'Australian Dollar', 2, 4, '1.4'],
  ['BGN', '975', 'Bulgarian Lev', 2, 4, '1.7', { from: '1999-07-05', to: '2025-12-31' }],
  ['BHD', '048', 'Bahraini Dinar', 3, 5, '0.38'],
  ['BRL', '986', 'Brazilian Real', 2, 4, '5.0'],
  ['CAD', '124', 'Canadian Dollar', 2, 4, '1.4'],
  ['CHF', '756', 'Swiss Franc', 2, 4, '0.79'],
  ['CLP', '152', 'Chilean Peso', 0, 2, '920'],
  ['CNH', undefined, 'Offshore Yuan Renminbi', 2, 4, '6.8'],
  ['CNY', '156', 'Yuan Renminbi', 2, 4, '6.8'],
  ['COP', '170', 'Colombian Peso', 2, 2, '3700'],
  ['CZK', '203', 'Czech Koruna', 2, 4, '21'],
  ['DKK', '208', 'Danish Krone', 2, 4, '6.4'],
  ['EEK', '233', 'Kroon', 2, 4, '12', { to: '2010-12-31' }],
  ['EGP', '818', 'Egyptian Pound', 2, 4, '50'],
  ['EUR', '978', 'Euro', 2, 4, '0.86', { from: '1999-01-01' }],
  ['GBP', '826', 'Pound Sterling', 2, 4, '0.75'],
  ['GEL', '981', 'Lari', 2, 4, '2.7'],
  ['GHS', '936', 'Ghana Cedi', 2, 4, '11', { from: '2007-07-01' }],
  ['HKD', '344', 'Hong Kong Dollar', 2, 4, '7.8'],
  ['HRK', '191', 'Kuna', 2, 4, '7.0', { to: '2022-12-31' }],
  ['HUF', '348', 'Forint', 2, 2, '310'],
  ['IDR', '360', 'Rupiah', 2, 2, '17000'],
  ['ILS', '376', 'New Israeli Sheqel', 2, 4, '3.1'],
  ['INR', '356', 'Indian Rupee', 2, 4, '93'],
  ['ISK', '352', 'Iceland Krona', 0, 2, '120'],
  ['JOD', '400', 'Jordanian Dinar', 3, 4, '0.71'],
  ['JPY', '392', 'Yen', 0, 2, '160'],
  ['KES', '404', 'Kenyan Shilling', 2, 4, '130'],
  ['KRW', '410', 'Won', 0, 2, '1500'],
  ['KWD', '414', 'Kuwaiti Dinar', 3, 4, '0.31'],
  ['KZT', '398', 'Tenge', 2, 2, '490'],
  ['LKR', '144', 'Sri Lanka Rupee', 2, 4, '310'],
  ['LTL', '440', 'Lithuanian Litas', 2, 4, '2.6', { to: '2014-12-31' }],
  ['LVL', '428', 'Latvian Lats', 2, 4, '0.53', { to: '2013-12-31' }],
  ['MAD', '504', 'Moroccan Dirham', 2, 4, '9.3'],
  ['MUR', '480', 'Mauritius Rupee', 2, 4, '46'],
  ['MXN', '484', 'Mexican Peso', 2, 4, '17'],
  ['MYR', '458', 'Malaysian Ringgit', 2, 4, '4.0'],
  ['NGN', '566', 'Naira', 2, 4, '1400'],
  ['NOK', '578', 'Norwegian Krone', 2, 4, '9.5'],
  ['NZD', '554', 'New Zealand Dollar', 2, 4, '1.7'],
  ['OMR', '512', 'Rial Omani', 3, 5, '0.38'],
  ['PEN', '604', 'Sol', 2, 4, '3.4'],
  ['PHP', '608', 'Philippine Peso', 2, 3, '60'],
  ['PKR', '586', 'Pakistan Rupee', 2, 3, '280'],
  ['PLN', '985', 'Zloty', 2, 4, '3.6'],
  ['QAR', '634', 'Qatari Rial', 2, 4, '3.6'],
  ['RON', '946', 'Romanian Leu', 2, 4, '4.4', { from: '2005-07-01' }],
  ['RSD', '941', 'Serbian Dinar', 2, 4, '100'],
  ['SAR', '682', 'Saudi Riyal', 2, 4, '3.8'],
  ['SEK', '752', 'Swedish Krona', 2, 4, '9.3'],
  ['SGD', '702', 'Singapore Dollar', 2, 4, '1.3'],
  ['SKK', '703', 'Slovak Koruna', 2, 4, '22', { to: '2008-12-31' }],
  ['THB', '764', 'Baht', 2, 3, '32'],
  ['TND', '788', 'Tunisian Dinar', 3, 4, '2.9'],
  ['TRY', '949', 'Turkish Lira', 2, 4, '45', { from: '2005-01-01' }],
  ['TWD', '901', 'New Taiwan Dollar', 2, 3, '32'],
  ['UAH', '980', 'Hryvnia', 2, 4, '44'],
  ['UGX', '800', 'Uganda Shilling', 0, 4, '3700'],
  ['USD', '840', 'US Dollar', 2, 4, '1'],
  ['UYU', '858', 'Peso Uruguayo', 2, 4, '40'],
  ['VND', '704', 'Dong', 0, 0, '26000'],
  ['XAF', '950', 'CFA Franc BEAC', 0, 4, '560'],
  ['XOF', '952', 'CFA Franc BCEAO', 0, 4, '560'],
  ['ZAR', '710', 'Rand', 2, 4, '17'],
];
