import { generateKeyPairSync } from 'node:crypto';
import { camt, txDtls } from '../../../../bank-formats/src/test-support.ts';
import { SELL_USD } from '../acceptance.ts';
import type { FourEyes } from '../four-eyes.ts';
import { judgedRequests, TRIED } from '../judged-requests.ts';
import type { Answer } from '../service.ts';
import type { Walk } from './walk.ts';

/** What chance does not come to: what has to be in a certain state, or to follow something else. */

const DAY = '2026-03-06';
const reason = 'as agreed';

/** Every story on its own; whatever one of them could not do, the coverage shows. */
export async function playStories(walk: Walk, eyes: FourEyes): Promise<void> {
  await judged(walk, eyes);
  await trading(walk, eyes);
  await payouts(walk);
  await deposits(walk);
  await refunds(walk);
  await withdrawals(walk, eyes);
  await clients(walk, eyes);
  await webhooks(walk);
  await statements(walk, eyes);
  await settings(walk);
  await proofs(walk);
  await people(walk);
}

async function judged(walk: Walk, eyes: FourEyes): Promise<void> {
  const requests = await judgedRequests(walk.service, eyes);
  for (const id of TRIED) {
    // Some go on with what only the policy of their own test makes.
    const request = await requests[id]?.().catch(() => undefined);
    if (request !== undefined) await walk.sendTo(id, request);
  }
  // One of them has every match take two persons.
  const { body } = await walk.call('getMatchingRules');
  const { version: _, ...rules } = body;
  await walk.call('replaceMatchingRules', { body: { ...rules, fourEyesFromUsd: '100000000.00' } });
}

/** A trade of the customer, funded by the simulated bank. */
async function funded(walk: Walk): Promise<Answer['body']> {
  const { body } = await traded(walk);
  const params = { transactionId: body.transactionId };
  await walk.call('triggerSandboxEvent', { params: { ...params, event: 'deposit' } });
  return params;
}

async function traded(walk: Walk): Promise<Answer> {
  const { body } = await walk.call('createQuote', { body: SELL_USD });
  return walk.call('executeQuote', { params: { quoteId: body.quoteId } });
}

async function trading(walk: Walk, { buyer }: FourEyes): Promise<void> {
  const quote = await walk.call('createQuote', { body: SELL_USD });
  await walk.call('explainQuote', { params: { quoteId: quote.body.quoteId } });
  await walk.call('cancelQuote', { params: { quoteId: quote.body.quoteId } });
  const { customerId } = buyer;
  const other = await walk.call('quoteForCustomer', { params: { customerId }, body: SELL_USD });
  await walk.call('executeForCustomer', { params: { customerId, quoteId: other.body.quoteId } });
  const params = await funded(walk);
  for (const id of [
    'getTransaction',
    'explainTransaction',
    'getAnyTransaction',
    'getConfirmation',
    'listHolds',
    'quoteUnwinding',
  ])
    await walk.call(id, { params });
  await walk.call('rollValueDate', { params, body: { valueDate: '2026-03-10', reason: 'client_request' } });
  const { body } = await walk.call('getTransaction', { params });
  await walk.call('getCustomerStatement', {
    params: { customerId: walk.customerId },
    query: [['from', '2026-03-01T00:00:00Z']],
  });
  await walk.call('getAnyConfirmation', { params: { customerId: walk.customerId, ...params } });
  const held = await walk.call('placeHold', { params, body: { kind: 'review', reason } });
  const holds = await walk.call('listHolds', { params });
  const holdId = held.body.holdId ?? holds.body.items?.[0]?.holdId;
  await walk.call('releaseHold', { params: { ...params, holdId } });
  await walk.call('explainValueDates', { query: [['pair', body.pair ?? 'EURUSD']] });
  await walk.call('unwindTransaction', { params, body: {} });
}

/** A run with what is due in euros, marked as sent. */
async function sentRun(walk: Walk, currency = 'EUR'): Promise<void> {
  await walk.call('previewSettlementRun', {
    query: [
      ['currency', currency],
      ['valueDate', DAY],
    ],
  });
  const { body } = await walk.call('createSettlementRun', { body: { currency, valueDate: DAY } });
  const runId = body.runId ?? body.result?.runId;
  if (runId === undefined) return;
  const params = { runId };
  for (const id of ['getSettlementRun', 'listSettlementRunPayments']) await walk.call(id, { params });
  const format = body.files?.[0]?.url?.split('/').at(-1) ?? 'pain.001';
  // Whoever has made a run does not send it.
  await walk.call('downloadSettlementRunFile', { params: { runId, format } });
  await walk.call('markSettlementRunSent', { params });
}

async function payouts(walk: Walk): Promise<void> {
  const [confirmed, failed, redirected] = [await funded(walk), await funded(walk), await funded(walk)];
  for (const params of [confirmed, failed, redirected]) await walk.call('releasePayout', { params });
  await sentRun(walk);
  await walk.call('confirmPayout', { params: confirmed, body: { bankReference: 'PAID-1' } });
  for (const params of [failed, redirected])
    await walk.call('failPayout', { params, body: { reason: 'payout_rejected' } });
  await walk.call('retryPayout', { params: failed });
  await walk.call('redirectPayout', { params: redirected });
}

let arrivals = 0;

async function arrived(walk: Walk, amount: string, remittanceText: string): Promise<Record<string, string>> {
  const { body } = await walk.call('recordDeposit', {
    body: {
      currency: 'USD',
      amount,
      bankReference: `FUZZ-${++arrivals}`,
      remitterName: 'Somebody Else',
      remittanceText,
    },
  });
  return { depositId: body.depositId };
}

async function deposits(walk: Walk): Promise<void> {
  const trade = (await traded(walk)).body;
  const { transactionId } = trade;
  const whole = await arrived(walk, '100000.00', 'for whom');
  await walk.call('matchDeposit', { params: whole, body: { allocations: [{ transactionId }], reason } });
  await walk.call('unmatchDeposit', { params: whole, body: { transactionId, reason } });
  await walk.call('commandDeposits', { body: { items: [whole], command: 'assign', assignee: 'me', reason } });
  const { customerId } = walk;
  const bankReference = 'TOLD-BY-PHONE';
  await walk.call('topUpBalance', {
    params: { customerId },
    body: { currency: 'USD', amount: '75.00', bankReference },
  });
  const toppedUp = await arrived(walk, '74.00', 'after charges');
  await walk.call('replaceTopUp', { params: toppedUp, body: { customerId, bankReference, reason } });
  const short = await arrived(walk, '99990.00', 'less than agreed');
  await walk.call('matchDeposit', { params: short, body: { allocations: [{ transactionId }], reason } });
  await walk.call('forgiveShortfall', { params: short, body: { transactionId, amount: '10.00', reason } });
  const back = { ...(await arrived(walk, '50.00', 'not ours')) };
  const account = { accountHolder: 'Somebody Else', accountNumber: '1234567890', routingNumber: '021000021' };
  const first = await walk.call('returnDeposit', {
    params: back,
    body: { returnedBy: 'house', account, reason },
  });
  const returnId = first.body.returns?.at(-1)?.returnId ?? first.body.returnId;
  await walk.call('cancelDepositReturn', { params: { ...back, returnId }, body: { reason } });
  const second = await walk.call('returnDeposit', {
    params: back,
    body: { returnedBy: 'house', account, reason },
  });
  await sentRun(walk, 'USD');
  const again = second.body.returns?.at(-1)?.returnId ?? second.body.returnId;
  await walk.call('confirmDepositReturn', {
    params: { ...back, returnId: again },
    body: { bankReference: 'BACK-1', reason },
  });
  await walk.call('failDepositReturn', { params: { ...back, returnId: again }, body: { reason } });
  await walk.call('getOwnDeposit', { params: short });
  // What waits because it comes from somebody unknown.
  const strange = await arrived(walk, '100000.00', (await traded(walk)).body.reference);
  await walk.call('releaseDeposit', { params: strange, body: { remember: true, reason } });
  const remitters = await walk.call('listRemitters', { params: { customerId: walk.customerId } });
  await walk.call('forgetRemitter', {
    params: { customerId: walk.customerId, remitterId: remitters.body.items?.[0]?.remitterId ?? 'x' },
  });
  const { body } = await walk.call('listExceptions', { query: [['status', 'open']] });
  for (const { exceptionId } of body.items ?? []) {
    await walk.call('retryException', { params: { exceptionId }, body: { note: 'again' } });
    await walk.call('resolveException', {
      params: { exceptionId },
      body: { resolution: 'settled_outside', note: 'done' },
    });
  }
  const all = (body.items ?? []).map(({ exceptionId }: { exceptionId: string }) => ({ exceptionId }));
  await walk.call('commandExceptions', {
    body: { items: all.slice(0, 3), command: 'assign', assignee: 'me', note: 'mine' },
  });
  const house = await arrived(walk, '3.00', 'interest of the bank');
  await walk.call('bookDeposit', { params: house, body: { as: 'interest', reason } });
}

async function refunds(walk: Walk): Promise<void> {
  const params = await funded(walk);
  await walk.call('unwindTransaction', { params, body: { reason: 'client_request' } });
  await sentRun(walk, 'USD');
  await walk.call('failRefund', { params, body: {} });
  await walk.call('retryRefund', { params });
  await sentRun(walk, 'USD');
  await walk.call('confirmRefund', { params, body: {} });
}

async function withdrawals(walk: Walk, { customer }: FourEyes): Promise<void> {
  const headers = { Authorization: `Bearer ${customer.token}` };
  const made: Record<string, string>[] = [];
  for (const amount of ['11.00', '12.00', '13.00', '14.00', '15.00']) {
    const { body } = await walk.call('createWithdrawal', { headers, body: { currency: 'EUR', amount } });
    made.push({ withdrawalId: body.withdrawalId });
  }
  const [first, second, third, fourth, fifth] = made;
  await walk.call('getWithdrawal', { headers, params: first ?? {} });
  await walk.call('getAnyWithdrawal', { params: first ?? {} });
  await walk.call('cancelWithdrawal', { headers, params: first ?? {} });
  await walk.call('cancelAnyWithdrawal', { params: second ?? {}, body: {} });
  await walk.call('withdrawForCustomer', {
    params: { customerId: customer.customerId },
    body: { currency: 'EUR', amount: '16.00', reason },
  });
  const owed = { currency: 'USD', amount: '1.00', reason };
  const params = { customerId: customer.customerId };
  const more = { currency: 'USD', amount: '10.00', bankReference: 'FUZZ-OWED' };
  await walk.call('topUpBalance', { params, body: more });
  await walk.call('payDebtFromBalance', { params, body: owed });
  await walk.call('writeOffDebt', { params, body: owed });
  await walk.call('topUpBalance', { params, body: { ...more, bankReference: 'FUZZ-WRONG' } });
  await walk.call('listTopUps', { params });
  await walk.call('reverseTopUp', { params, body: { bankReference: 'FUZZ-WRONG', reason } });
  await sentRun(walk);
  await walk.call('confirmWithdrawal', { params: third ?? {}, body: {} });
  await walk.call('failWithdrawal', { params: fourth ?? {}, body: {} });
  await walk.call('failWithdrawal', { params: fifth ?? {}, body: {} });
  await walk.call('redirectWithdrawal', { params: fifth ?? {}, body: {} });
}

async function clients(walk: Walk, { buyer }: FourEyes): Promise<void> {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const keys = [{ kty: 'EC', crv: 'P-256', x, y, alg: 'ES256', kid: 'mine' }];
  const kinds = [
    ['Credential', { customerId: buyer.customerId }],
    ['OperatorClient', {}],
    ['OwnCredential', {}],
  ] as const;
  for (const [kind, owner] of kinds) {
    const { body } = await walk.call(`create${kind}`, { params: owner, body: { name: 'another' } });
    const params = { ...owner, clientId: body.clientId };
    await walk.call(`update${kind}`, { params, body: { name: 'renamed' } });
    const { body: added } = await walk.call(`add${kind}Secret`, { params, body: {} });
    const secretId = added.secretId ?? added.secret?.secretId ?? added.secrets?.at(-1)?.secretId;
    await walk.call(`revoke${kind}Secret`, { params: { ...params, secretId } });
    await walk.call(`set${kind}Keys`, { params, body: { keys } });
    await walk.call(`set${kind}IpAllowList`, { params, body: { ipAllowList: ['127.0.0.0/8'] } });
    await walk.call(`suspend${kind}`, { params });
    await walk.call(`resume${kind}`, { params });
    await walk.call(`revoke${kind}Tokens`, { params, body: {} });
    await walk.call(`revoke${kind}`, { params });
  }
  const { operator, audience } = walk.service.sandbox;
  const of = { client_id: operator.clientId, client_secret: operator.clientSecret };
  const { body } = await walk.call('createToken', {
    body: { ...of, audience, grant_type: 'client_credentials' },
  });
  await walk.call('introspectToken', { body: { ...of, token: body.access_token } });
  await walk.call('revokeToken', { body: { ...of, token: body.access_token } });
}

async function webhooks(walk: Walk): Promise<void> {
  for (const kind of ['', 'Operator']) {
    const { body } = await walk.call(`create${kind}Webhook`, { body: { url: 'http://127.0.0.1:9/hook' } });
    const params = { webhookId: body.webhookId };
    await walk.call(`get${kind}Webhook`, { params });
    await walk.call(`update${kind}Webhook`, { params, body: { description: 'mine' } });
    await walk.call(`rotate${kind}WebhookSecret`, { params, body: {} });
    await walk.call(`test${kind}Webhook`, { params });
    // An event of the feed, or one of the house, for it to be told of.
    await traded(walk);
    await walk.call('controlSandboxMarket', { body: { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' } });
    let eventId: string | undefined;
    for (let tries = 0; eventId === undefined && tries < 20; tries++) {
      const { body: page } = await walk.call(`list${kind}WebhookDeliveries`, { params });
      eventId = page.items?.[0]?.eventId;
    }
    await walk.call(`replay${kind}WebhookDelivery`, { params: { ...params, eventId: eventId ?? 'evt_x' } });
    await walk.call(`replay${kind}Webhook`, { params });
    await walk.call(`delete${kind}Webhook`, { params });
  }
}

async function statements(walk: Walk, { usdAccount }: FourEyes): Promise<void> {
  const upload = (body: string) => walk.call('importStatementFile', { body });
  const bad = await upload(
    camt([{ amount: '5.00' }], { opening: '1.00', closing: '8.00', account: usdAccount, number: '8' }),
  );
  const params = { fileId: bad.body.fileId };
  await walk.call('getStatementFile', { params });
  await walk.call('acceptStatementFile', { params, body: { reason } });
  const refused = await upload('this is no statement');
  const { body: files } = await walk.call('listStatementFiles');
  const fileId =
    refused.body.fileId ?? files.items?.find((each: { status: string }) => each.status === 'refused')?.fileId;
  await walk.call('deleteStatementFile', { params: { fileId: fileId ?? 'stf_x' } });
  const details = [txDtls('somebody pays')];
  const twice = [1, 2].map(() => ({ amount: '21.00', details }) as const);
  const doubtful = await upload(camt(twice, { message: '054', account: usdAccount, number: '9' }));
  const entries = await walk.call('listEntriesOfFile', { params: { fileId: doubtful.body.fileId } });
  for (const { entryId } of entries.body.items ?? []) {
    await walk.call('markStatementEntryNeverBooked', { params: { entryId }, body: { reason } });
  }
  const mapping = {
    fileNames: ['fuzz-*.csv'],
    ...{
      delimiter: ';',
      decimalMark: ',',
      groupMark: '.',
      dateFormat: 'DD.MM.YYYY',
      account: usdAccount,
      currency: 'USD',
    },
    columns: { bookingDate: 'Datum', amount: 'Betrag', remittance: ['Text'], bankReference: 'Ref' },
  };
  await walk.call('previewStatementFile', {
    query: [['draftMapping', JSON.stringify(mapping)]],
    body: 'Datum;Betrag;Text;Ref\n04.03.2026;1.234,50;text;REF\n',
  });
  const { body } = await walk.call('setStatementMapping', { params: { name: 'fuzzed' }, body: mapping });
  await walk.call('getStatementMapping', { params: { name: body.name ?? 'fuzzed' } });
  await walk.call('deleteStatementMapping', { params: { name: body.name ?? 'fuzzed' } });
  const monthly = {
    name: 'fuzzed',
    report: 'exposure',
    format: 'csv',
    every: 'month',
    on: 31,
    at: '06:30',
    zone: 'Europe/Berlin',
  };
  const schedule = {
    ...monthly,
    holidays: 'run',
    calendar: null,
    customerId: null,
    currency: null,
    keepDays: 30,
    paused: false,
  };
  const planned = await walk.call('createReportSchedule', { body: schedule });
  const scheduleParams = { scheduleId: planned.body.scheduleId };
  for (const id of ['getReportSchedule', 'listReportScheduleRuns'])
    await walk.call(id, { params: scheduleParams });
  await walk.call('replaceReportSchedule', { params: scheduleParams, body: { ...schedule, paused: true } });
  await walk.call('deleteReportSchedule', { params: scheduleParams });
  const { body: report } = await walk.call('requestReport', { body: { report: 'exposure' } });
  for (let tries = 0; tries < 20; tries++) {
    const made = await walk.call('getReport', { params: { reportId: report.reportId } });
    if (made.body.status === 'completed') break;
  }
  await walk.call('downloadReport', { params: { reportId: report.reportId } });
}

async function settings(walk: Walk): Promise<void> {
  const { headers } = await walk.call('getSpreadRuleDraft');
  const etag = (answer: Headers) => ({ 'If-Match': answer.get('ETag') ?? '*' });
  const drafted = await walk.call('setSpreadRuleDraft', {
    headers: etag(headers),
    body: { rules: [{ spreadBps: '21.00' }] },
  });
  await walk.call('activateSpreadRuleDraft', { headers: etag(drafted.headers), body: {} });
  const again = await walk.call('getSpreadRuleDraft');
  const draft = { rules: [{ spreadBps: '22.00' }] };
  const { headers: of } = await walk.call('setSpreadRuleDraft', {
    headers: etag(again.headers),
    body: draft,
  });
  await walk.call('discardSpreadRuleDraft', { headers: etag(of) });
  await walk.call('setSpreadRules', { body: { rules: [{ spreadBps: '20.00' }] } });
  await walk.call('previewSpreadRules', {
    body: { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1000.00' },
  });
  await walk.call('pushPrices', { body: { prices: [{ pair: 'EURUSD', bid: '1.08488', ask: '1.08494' }] } });
  await walk.call('haltMarket', { body: { scope: 'pair', pair: 'GBPUSD', reason } });
  await walk.call('resumeMarket', { body: { scope: 'pair', pair: 'GBPUSD', reason } });
  await walk.call('setCalendarYear', {
    params: { currency: 'EUR', year: '2030' },
    body: {
      complete: false,
      changes: [{ date: '2030-01-02', state: 'closed', reason, source: 'the bank' }],
      reason,
    },
  });
  await walk.call('listAccountPostings', {
    params: { account: 'customer_payable' },
    query: [
      ['customerId', walk.customerId],
      ['currency', 'EUR'],
    ],
  });
  await walk.call('listAccountBalances', {
    params: { account: 'customer_payable' },
    query: [['currency', 'EUR']],
  });
  await walk.call('rotateKey', { body: { purpose: 'evidence', reason } });
  await walk.call('setRole', {
    params: { role: 'fuzzed' },
    body: { description: 'Reads.', scopes: ['operator:customers:read'] },
  });
  await walk.call('deleteRole', { params: { role: 'fuzzed' } });
  const imports = await walk.call('proposeCalendarImport', {
    query: [
      ['source', 'vendor'],
      ['reason', 'yearly'],
      ['fromYear', '2028'],
      ['toYear', '2028'],
    ],
    body: 'currency,date,name\nEUR,2028-01-03,"New Year"\n',
  });
  const importId = /cim_\w{26}/.exec(`${imports.text} ${imports.headers.get('Location')}`)?.[0];
  await walk.call('getCalendarImport', { params: { importId: importId ?? 'cim_x' } });
  await walk.call('listCalendarYearVersions', { params: { currency: 'EUR', year: '2028' } });
  await walk.call('dryRunCommand', {
    body: {
      operationId: 'setCollectionAccount',
      params: { currency: 'EUR' },
      body: { accountHolder: 'House', iban: 'GB29NWBK60161331926819' },
    },
  });
}

async function proofs(walk: Walk): Promise<void> {
  await walk.call('signLogHead');
  const { body } = await walk.call('listLogHeads');
  const size = body.items?.[0]?.size ?? 1;
  await walk.call('proveLogGrowth', {
    query: [
      ['earlier', String(size)],
      ['size', String(size)],
    ],
  });
  await walk.call('proveLogRow', {
    query: [
      ['row', '1'],
      ['size', String(size)],
    ],
  });
}

async function people(walk: Walk): Promise<void> {
  // Letting money go before its time takes two persons even in the sandbox.
  for (const id of ['approve', 'rejectApproval']) {
    const added = await walk.call('addSettlementInstruction', {
      params: { customerId: walk.customerId },
      body: { currency: 'EUR', accountHolder: 'Acme Ltd', iban: 'NL91ABNA0417164300', bankCountry: 'NL' },
    });
    const ssiId = added.body.settlementInstructionId;
    const proposed = await walk.call('releaseSettlementInstruction', {
      params: { customerId: walk.customerId, ssiId },
      headers: { 'Firmquote-Reason': reason },
    });
    const { approvalId } = proposed.body;
    await walk.call('getApproval', { params: { approvalId } });
    await walk.call(id, { params: { approvalId }, body: {} });
  }
  const invited = await walk.call('invitePerson', { body: { email: 'fuzz@example.com', roles: ['viewer'] } });
  const params = { personId: invited.body.personId ?? invited.body.person?.personId };
  await walk.call('renewInvitation', { params });
  await walk.call('withdrawInvitation', { params });
  const session = async () => SESSION.exec((await walk.call('listOwnSessions')).text)?.[0] ?? 'ses_x';
  await walk.call('endOwnSession', { params: { sessionId: await session() } });
  await walk.call('endSession', { params: { sessionId: await session() } });
  const { body } = await walk.call('addVirtualAccount', {
    params: { customerId: walk.customerId },
    body: { currency: 'USD', number: '55510077' },
  });
  await walk.call('closeVirtualAccount', {
    params: { customerId: walk.customerId, virtualAccountId: body.virtualAccountId },
  });
}

const SESSION = /ses_\w{26}/;
