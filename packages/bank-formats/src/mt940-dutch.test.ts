import { describeDialects } from './test-support.ts';

describeDialects('Dutch banks', {
  'ING, with the reference first': [
    [
      ':61:2603040304C12,00NTRFEREF//00000000001005',
      '/TRCD/00100/',
      ':86:/EREF/E2E-2291//CNTP/NL32INGB0000012345/INGBNL2A/Acme Trading B.V',
      './AMSTERDAM//REMI/USTD//Invoice 7 RF44260304001729/',
    ],
    {
      bankReference: '00000000001005',
      endToEndId: 'E2E-2291',
      counterpartyAccount: 'NL32INGB0000012345',
      counterpartyName: 'Acme Trading B.V.',
      remittanceText: 'Invoice 7 RF44260304001729',
    },
  ],
  'ING, with the code behind the reference': [
    [
      ':61:2603040304C12,00NTRFEREF//00000000001005/TRCD/00100/',
      ':86:/EREF/E1//CNTP/NL32INGB0000012345/INGBNL2A/Acme///REMI/USTD//X/',
    ],
    {
      bankReference: '00000000001005',
      endToEndId: 'E1',
      counterpartyAccount: 'NL32INGB0000012345',
      counterpartyName: 'Acme',
      remittanceText: 'X',
    },
  ],
  'ING, a word broken where the line ends': [
    [
      ':61:2603040304D10,00NDDTEREF//15069021961175',
      ':86:/EREF/400313131313//MARF/2.34567890//CSID/NL11AAA441212121212',
      '//CNTP/NL21BASN0272727272/COBANL2XXXX/T-Phone Netherlands BV///R',
      'EMI/USTD//Factuurnummer 858585858585//PURP/OTHR/',
    ],
    {
      bankReference: '15069021961175',
      endToEndId: '400313131313',
      counterpartyAccount: 'NL21BASN0272727272',
      counterpartyName: 'T-Phone Netherlands BV',
      remittanceText: 'Factuurnummer 858585858585',
    },
  ],
  'ING, a batch': [
    [':61:2603040304D1,57NTRFPREF//00000000001006', ':86:/PREF/RUN20260304S//REMI/USTD//TOTAAL 5 VZ/'],
    {
      bankReference: '00000000001006',
      instructionId: 'RUN20260304S',
      paymentInformationId: 'RUN20260304S',
      remittanceText: 'TOTAAL 5 VZ',
    },
  ],
  'ING, a return': [
    [
      ':61:2603040304C1,57NRTIEREF//00000000001007',
      ':86:/RTRN/MS03//EREF/20120123456789//CNTP/NL32INGB0000012345/INGBNL2A/J.',
      'Janssen///REMI/USTD//Factuurnr 123456/',
    ],
    {
      kind: 'return',
      bankReference: '00000000001007',
      endToEndId: '20120123456789',
      originalReference: '20120123456789',
      counterpartyAccount: 'NL32INGB0000012345',
      counterpartyName: 'J.Janssen',
      returnReason: 'MS03',
      remittanceText: 'Factuurnr 123456',
    },
  ],
  'Triodos, narrow lines': [
    [
      ':61:260304C56,29NET0NONREF',
      ':86:/CNTP/NL21RABO0999999999/RABONL2U/Acme N.V./3000AA WESTBEE',
      'N Nederland//EREF/7293-201801001//RE',
      'MI/USTD//Factuurnummer 9/',
    ],
    {
      endToEndId: '7293-201801001',
      counterpartyAccount: 'NL21RABO0999999999',
      counterpartyName: 'Acme N.V.',
      remittanceText: 'Factuurnummer 9',
    },
  ],
  'Rabobank, the account in tag 61': [
    [
      ':61:260304C000000000429,14N541EREF',
      'NL93ABNA0617558213',
      ':86:/EREF/1407220203722001/ORDP//NAME/Acme B V/ADDR/STATIONSSTRAAT 79',
      '3811 MH AMERSFOORT NL/REMI/2037 201407-323/ISDT/2026-03-04',
    ],
    {
      endToEndId: '1407220203722001',
      counterpartyAccount: 'NL93ABNA0617558213',
      counterpartyName: 'Acme B V',
      remittanceText: '2037 201407-323',
    },
  ],
  'Rabobank, both parties named': [
    [
      ':61:260304D000000000025,00N102NONREF',
      'P001234567',
      ':86:/ORDP//NAME/Our House B.V./BENM//NAME/Contra Holder/REMI//REMI/Order 7/ISDT/2026-03-04',
    ],
    { counterpartyAccount: '001234567', counterpartyName: 'Contra Holder', remittanceText: 'Order 7' },
  ],
  'Rabobank, a structured reference': [
    [
      ':61:260304C000000000025,00N086EREF',
      'NL86INGB0002445588',
      ':86:/EREF/123456789/ORDP//NAME/Acme/REMI/CDTRREFTP//CD/SCOR/ISSR/CUR/CDTRREF/1234567899874563',
    ],
    {
      endToEndId: '123456789',
      counterpartyAccount: 'NL86INGB0002445588',
      counterpartyName: 'Acme',
      structuredReferences: ['1234567899874563'],
      remittanceText: 'CDTRREFTP//CD/SCOR/ISSR/CUR/CDTRREF/1234567899874563',
    },
  ],
  'Rabobank, before IBAN': [
    [
      ':61:260304D000000000044,95N0600733959555      T-PHONE NETHERLANDS BV',
      ':86:BETALINGSKENM.  123456789',
      ':86:FACTUURNUMMER 987654321',
    ],
    {
      counterpartyAccount: '0733959555',
      counterpartyName: 'T-PHONE NETHERLANDS BV',
      remittanceText: 'BETALINGSKENM. 123456789\nFACTUURNUMMER 987654321',
    },
  ],
  'bunq, the account first': [
    [':61:2603040304C2,00NTRFNONREF', ':86:/IBAN/NL65BUNQ2206724936/NAME/P.C. Wacki/REMI/'],
    { counterpartyAccount: 'NL65BUNQ2206724936', counterpartyName: 'P.C. Wacki' },
  ],
  'ABN AMRO, between slashes': [
    [
      ':61:2603040304C109,65N654NONREF',
      ':86:/TRTP/SEPA OVERBOEKING/IBAN/NL75INGB0001234567/BIC/INGBNL2A/NAME/',
      'ACME EN/OF MW H JANSEN/REMI/RES.NR 00042/EREF/NOTPROV',
      'IDED',
    ],
    {
      counterpartyAccount: 'NL75INGB0001234567',
      counterpartyName: 'ACME EN/OF MW H JANSEN',
      remittanceText: 'RES.NR 00042',
    },
  ],
  'ABN AMRO, in two columns': [
    [
      ':61:2603040304C10,50N654NONREF',
      ':86:SEPA OVERBOEKING                 IBAN: NL56CHAS0101010101',
      'BIC: CHASNL2XXXX                 NAAM: ACME NETHERLANDS B.V.',
      'OMSCHRIJVING: 1412DEC 2026 CONSULTING',
      'KENMERK: 7541410',
    ],
    {
      endToEndId: '7541410',
      counterpartyAccount: 'NL56CHAS0101010101',
      counterpartyName: 'ACME NETHERLANDS B.V.',
      remittanceText: '1412DEC 2026 CONSULTING',
    },
  ],
  'Knab, a last line of its own': [
    [
      ':61:2603040304C10,NTRFNONREF//AB1211111111111',
      ':86:DIT IS EEN OMSCHRIJVING',
      'REK: NL76INGB0444444444/NAAM: STICHTING DERDEN',
    ],
    {
      bankReference: 'AB1211111111111',
      counterpartyAccount: 'NL76INGB0444444444',
      counterpartyName: 'STICHTING DERDEN',
      remittanceText: 'DIT IS EEN OMSCHRIJVING',
    },
  ],
  'ASN and SNS, the account as the reference': [
    [
      ':61:2603040304C65,00NOVBNL47INGB9999999999',
      'hr g j l m paulissen',
      ':86:NL47INGB9999999999 hr g j l m paulissen',
      '',
      'Betaling sieraden',
    ],
    {
      counterpartyAccount: 'NL47INGB9999999999',
      counterpartyName: 'hr g j l m paulissen',
      remittanceText: 'Betaling sieraden',
    },
  ],
});
