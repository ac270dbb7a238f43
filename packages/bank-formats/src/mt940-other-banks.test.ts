import { describeDialects } from './test-support.ts';

describeDialects('other banks', {
  'German fields, nothing between reference and word': [
    [
      ':61:2603040304C1,00NTRFNONREF//B1',
      ':86:166?00GUTSCHRIFT?109075/611?20EREF+NONREF?21KREF+CUST-1?22SVWZ+INV 5',
      '?30COBADEFF?31DE75512108001245126199?32Acme Ltd',
    ],
    {
      bankReference: 'B1',
      instructionId: 'CUST-1',
      paymentInformationId: 'CUST-1',
      counterpartyAccount: 'DE75512108001245126199',
      counterpartyName: 'Acme Ltd',
      remittanceText: 'INV 5',
    },
  ],
  'German fields, a word broken where a field ends': [
    [
      ':61:2603040304D12,35 NRTIKREF+//2016021783252833',
      '/OCMT/EUR11,85//CHGS/EUR0,50/',
      ':86:109?00SEPA-LASTSCHR. RETOURE CORE?109075/629?20EREF+A1.200080779.',
      '400143254?21.4961336 KREF+SEPA-DA202006?2201221740-34972000-P1 MR',
      'EF+2?230852HW2723821 CRED+DE41EON0?240000129793 OAMT+11,85 SVWZ+?',
      '25SONSTIGE GRUENDE ENDABRECHN?26UNG NR. 500106875?30CSDBDE71XXX?3',
      '1DE50712345600200691329?32TESTER?33EL?34914',
    ],
    {
      kind: 'return',
      bankReference: '2016021783252833',
      endToEndId: 'A1.200080779.400143254.4961336',
      originalReference: 'A1.200080779.400143254.4961336',
      instructionId: 'SEPA-DA20200601221740-34972000-P1',
      paymentInformationId: 'SEPA-DA20200601221740-34972000-P1',
      counterpartyAccount: 'DE50712345600200691329',
      counterpartyName: 'TESTER EL',
      returnReason: '914',
      remittanceText: 'SONSTIGE GRUENDE ENDABRECHNUNG NR. 500106875',
    },
  ],
  'German fields, a word in two fields': [
    [
      ':61:2603040304D24,30NMSCNONREF',
      ':86:835?20EREF+ 1234567890123 PAYPALX?21MREF+ 12AB234CD6E7F CRED+ A?22B12CDE0000000000000000034 S?23VWZ+',
      ' Ihr Einkauf?32Pay Europe',
    ],
    {
      endToEndId: '1234567890123 PAYPALX',
      counterpartyName: 'Pay Europe',
      remittanceText: 'Ihr Einkauf',
    },
  ],
  'German fields, lines that are no words': [
    [
      ':61:2603040304C80,00N051NONREF',
      ':86:051?00Gutschrift?10931?20PARTNERKEY 0123?21SPENDE? BITTE?3020010020?310012345678?32MEIER, GRETEL?33HAMBURG',
    ],
    {
      counterpartyAccount: '0012345678',
      counterpartyName: 'MEIER, GRETEL HAMBURG',
      remittanceText: 'PARTNERKEY 0123 SPENDE? BITTE',
    },
  ],
  'Triodos, bank and account lead the text': [
    [
      ':61:260304C150,00NET NONREF',
      ':86:000>100000000000',
      '>20BBBBNL2U',
      '>21NL99BBBB0555555555',
      '>22ACME TRADING AND SHIPPING C>23O',
      '>310666666666',
    ],
    { counterpartyAccount: 'NL99BBBB0555555555', remittanceText: 'ACME TRADING AND SHIPPING CO' },
  ],
  'Polish fields without a code': [
    [
      ':61:260304C369,00NTRFNONREF',
      ':86:>20Faktura 12/2026>31491050195310000',
      '0477656534>32BOOKING GROUP',
      'UL. SPOKOJNA 3',
    ],
    {
      counterpartyAccount: '4910501953100000477656534',
      counterpartyName: 'BOOKING GROUP UL. SPOKOJNA 3',
      remittanceText: 'Faktura 12/2026',
    },
  ],
  'mBank, labels': [
    [
      ':61:2603040304CN0,01NTRFNONREF//MB170119012085',
      ':86:911 TRANSAKCJA COLLECT; ID IPH: XX000000000001; Z RACH.: ',
      '56114010810000267002001001; OD: JAN NOWAK  ',
      'UL. NIJAKA 1 M 2 31-234 KRAKOW; TYT.: FAKTURA 9; ',
      'TNR: 179171073864111.010001',
    ],
    {
      bankReference: 'MB170119012085',
      counterpartyAccount: '56114010810000267002001001',
      counterpartyName: 'JAN NOWAK',
      remittanceText: 'FAKTURA 9',
    },
  ],
  'Goldman Sachs, a credit and its debtor': [
    [
      ':61:2603040304C11,25NTRFGS0DUTB31IOUHRS//GI2504900004512',
      ':86:/EREF/GS0DUTB31IOUHRS',
      '/DBNM/ACME INC/DACT/8348577826/DBIC/CITIUS30XXX',
      '/REMI/USD Payment',
    ],
    {
      bankReference: 'GI2504900004512',
      instructionId: 'GS0DUTB31IOUHRS',
      endToEndId: 'GS0DUTB31IOUHRS',
      counterpartyAccount: '8348577826',
      counterpartyName: 'ACME INC',
      remittanceText: 'USD Payment',
    },
  ],
  'HSBC, text behind an amount': [
    [
      ':61:2603040304C20000,00NTRF1004688128      //6128522200250001',
      ':86:/OCMT/USD2853,12/',
      'PAYMENT OF INVOICES 204011665',
    ],
    {
      bankReference: '6128522200250001',
      instructionId: '1004688128',
      remittanceText: 'PAYMENT OF INVOICES 204011665',
    },
  ],
  'account and name behind one word': [
    [
      ':61:2603040304C2250,NMSCNONREF//25577226',
      ':86:/ORDP/300000000460495',
      '/ACME DOOEL SKOPJE',
      '/747//747',
      '/Uplata po faktura 747',
    ],
    {
      bankReference: '25577226',
      counterpartyAccount: '300000000460495',
      counterpartyName: 'ACME DOOEL SKOPJE',
      remittanceText: '747//747 /Uplata po faktura 747',
    },
  ],
});
