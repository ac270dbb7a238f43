import { camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { createCustomer, succeed } from './acceptance.ts';
import type { FourEyes } from './four-eyes.ts';
import type { TestService } from './service.ts';

/** A request that takes two persons where the policy says so, valid each time it is asked for. */
interface JudgedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const OPERATOR = '/v1/operator';

/** In this order: some go on with what others have done. */
export const TRIED = [
  'addSettlementInstruction',
  'releaseSettlementInstruction',
  'setCollectionAccount',
  'releaseCollectionAccount',
  'addVirtualAccount',
  'releaseVirtualAccount',
  'createCredential',
  'createOperatorClient',
  'setPersonRoles',
  'setRole',
  'revokeKey',
  'updateCustomer',
  'resumeCustomer',
  'releaseHold',
  'setCustomerLimits',
  'replaceMatchingRules',
  'setPricingPolicy',
  'setCutOff',
  'proposeCalendarImport',
  'topUpBalance',
  'reverseTopUp',
  'recordDeposit',
  'ignoreDeposit',
  'bookStatementEntry',
  'withdrawForCustomer',
  'writeOffDebt',
  'createSettlementRun',
  'cancelSettlementRun',
  'confirmWithdrawal',
  'failWithdrawal',
  'redirectWithdrawal',
  'releasePayout',
  'setStatementMapping',
  'unwindTransaction',
  'setFourEyesPolicy',
  // Last, what others go on with by themselves: the simulated bank pays what is sent, and what is imported is booked.
  'markSettlementRunSent',
  'acceptStatementFile',
] as const;

/** Makes what they are about, while one person is enough for it. @returns by id of the operation */
export async function judgedRequests(
  service: TestService,
  { customer, usdAccount, second, proposed, approve }: FourEyes,
): Promise<Readonly<Record<string, () => Promise<JudgedRequest>>>> {
  const { path } = customer;
  // The simulated bank would pay and report meanwhile.
  await succeed(200, service.operate('POST', '/v1/sandbox/bank', { autoDeposit: false, settlement: 'runs' }));
  const get = async (at: string) => (await succeed(200, service.operate('GET', at))).body;
  const post = (status: number, at: string, body?: unknown) =>
    succeed(status, service.operate('POST', at, body));
  /** A document with one member changed, under its version. */
  const replaced = async (
    at: string,
    changed: (document: Record<string, unknown>) => object,
  ): Promise<JudgedRequest> => {
    const { body, headers } = await succeed(200, service.operate('GET', at));
    const { version: _, ...document } = body;
    return {
      method: 'PUT',
      path: at,
      body: changed(document),
      headers: { 'If-Match': headers.get('ETag') ?? '' },
    };
  };
  const suspended = await createCustomer(service);
  await post(200, `${suspended.path}/suspend`, { reason: 'for the test' });
  const trader = await createCustomer(service);
  let references = 0;
  const deposit = async (remittanceText: string, amount = '100000.00') => {
    const bankReference = `SEEN-${++references}`;
    const seen = { currency: 'USD', amount, bankReference, remitterName: 'Acme Ltd', remittanceText };
    return (await post(201, `${OPERATOR}/deposits`, seen)).body.depositId as string;
  };
  const funded = async () => {
    const { body } = await trader.trade();
    await deposit(body.reference);
    return body.transactionId as string;
  };
  const unknown = await deposit('for nobody', '12.00');
  const toppedUp = { currency: 'EUR', amount: '1.00', bankReference: 'REVERSED' };
  await post(201, `${path}/balances/top-ups`, toppedUp);
  const [early, unwound, held] = [await funded(), await funded(), await funded()];
  const holds = `${OPERATOR}/transactions/${held}/holds`;
  await service.operate('POST', holds, { kind: 'review', reason: 'wait' });
  const { holdId } = (await get(holds)).items[0];
  let withdrawals = 0;
  const withdrawal = async () => {
    const body = { currency: 'EUR', amount: `${++withdrawals}.00` };
    const key = { 'Idempotency-Key': `judged ${withdrawals}` };
    const made = await succeed(201, customer.post('/v1/customer/balances/withdrawals', body, key));
    return made.body.withdrawalId as string;
  };
  const [paid, redirected] = [await withdrawal(), await withdrawal()];
  const upload = (content: string) =>
    service.call('POST', `${OPERATOR}/statements`, {
      token: service.operatorToken,
      body: content,
      headers: { 'Content-Type': 'application/octet-stream' },
    });
  const fee = {
    amount: '5.00',
    direction: 'DBIT',
    reference: 'FEE-1',
    details: [txDtls('account fee')],
  } as const;
  const owed = { ...fee, amount: '6.00', reference: 'OWED-1', details: [txDtls('charged for a customer')] };
  const file = await succeed(
    201,
    upload(camt([fee, owed], { opening: '15.00', closing: '4.00', account: usdAccount })),
  );
  const entries = await get(`${OPERATOR}/statements/${file.body.fileId}/entries`);
  const debt = { as: 'customer_debt', customerId: customer.customerId, reason: 'charged for them' };
  await post(200, `${OPERATOR}/statement-entries/${entries.items[1].entryId}/book`, debt);
  const wrong = await upload(
    camt([{ amount: '5.00' }], { opening: '1.00', closing: '7.00', account: usdAccount, number: '7' }),
  );
  const persons = (await get(`${OPERATOR}/persons`)).items;
  const person = persons.find(({ email }: { email: string }) => email === 'dealer@sandbox.example');
  const { keys } = await get(`${OPERATOR}/keys`);
  const evidence = keys.find(({ purpose }: { purpose: string }) => purpose === 'evidence');
  const run = async (status: string) => (await get(`${OPERATOR}/settlement-runs?status=${status}`)).items[0];
  const made = async () => {
    const order = { currency: 'EUR', valueDate: '2026-03-06' };
    const { approvalId } = await proposed('POST', `${OPERATOR}/settlement-runs`, order);
    return (await succeed(200, approve(approvalId))).body.result;
  };

  return {
    addSettlementInstruction: async () => ({
      method: 'POST',
      path: `${path}/settlement-instructions`,
      body: { currency: 'EUR', accountHolder: 'Acme Ltd', iban: 'NL91ABNA0417164300', bankCountry: 'NL' },
    }),
    releaseSettlementInstruction: async () => {
      const { items } = await get(`${path}/settlement-instructions?currency=EUR&status=active`);
      const { settlementInstructionId: id } = items[0];
      return { method: 'POST', path: `${path}/settlement-instructions/${id}/release` };
    },
    setCollectionAccount: async () => ({
      method: 'PUT',
      path: `${OPERATOR}/collection-accounts/GBP`,
      body: { accountHolder: 'House', iban: 'GB29NWBK60161331926819' },
    }),
    releaseCollectionAccount: async () => ({
      method: 'POST',
      path: `${OPERATOR}/collection-accounts/GBP/release`,
    }),
    addVirtualAccount: async () => ({
      method: 'POST',
      path: `${path}/virtual-accounts`,
      body: { currency: 'USD', number: '55510001' },
    }),
    releaseVirtualAccount: async () => {
      const { virtualAccountId } = (await get(`${path}/virtual-accounts`)).items[0];
      return { method: 'POST', path: `${path}/virtual-accounts/${virtualAccountId}/release` };
    },
    createCredential: async () => ({
      method: 'POST',
      path: `${path}/credentials`,
      body: { name: 'another' },
    }),
    createOperatorClient: async () => ({
      method: 'POST',
      path: `${OPERATOR}/clients`,
      body: { name: 'another' },
    }),
    setPersonRoles: async () => ({
      method: 'PUT',
      path: `${OPERATOR}/persons/${person.personId}/roles`,
      body: { roles: ['viewer'] },
    }),
    setRole: async () => ({
      method: 'PUT',
      path: `${OPERATOR}/roles/reader`,
      body: { description: 'Reads.', scopes: ['operator:customers:read'] },
    }),
    revokeKey: async () => ({
      method: 'POST',
      path: `${OPERATOR}/keys/${evidence.kid}/revoke`,
      body: { reason: 'somebody may have it' },
    }),
    updateCustomer: async () => ({ method: 'PATCH', path, body: { name: 'Acme Limited' } }),
    resumeCustomer: async () => ({ method: 'POST', path: `${suspended.path}/resume`, body: {} }),
    releaseHold: async () => ({
      method: 'DELETE',
      path: `${holds}/${holdId}`,
    }),
    setCustomerLimits: async () => {
      const { version: _, customerId: __, ...limits } = await get(`${path}/limits`);
      return { method: 'PUT', path: `${path}/limits`, body: { ...limits, dailyVolume: '7000.00' } };
    },
    replaceMatchingRules: () =>
      replaced(`${OPERATOR}/matching-rules`, (rules) => ({ ...rules, fourEyesFromUsd: '5.00' })),
    setPricingPolicy: () =>
      replaced(`${OPERATOR}/pricing-policy`, (policy) => ({
        ...policy,
        marketHours: [
          { pair: 'EURUSD', zone: 'Europe/London', days: ['mon'], from: '01:00', to: '02:00', bps: '1.00' },
        ],
      })),
    setCutOff: () =>
      replaced(`${OPERATOR}/cutoffs/EUR`, ({ zone }) => ({
        time: '09:30',
        zone,
        source: 'the bank',
        reason: 'earlier',
      })),
    proposeCalendarImport: async () => ({
      method: 'POST',
      path: `${OPERATOR}/calendar-imports?source=vendor&fromYear=2027&toYear=2027&reason=yearly`,
      body: 'currency,date,name\nEUR,2027-01-01,"New Year"\n',
      headers: { 'Content-Type': 'text/csv' },
    }),
    topUpBalance: async () => ({
      method: 'POST',
      path: `${path}/balances/top-ups`,
      body: { currency: 'EUR', amount: '1.00', bankReference: 'JUDGED' },
    }),
    reverseTopUp: async () => ({
      method: 'POST',
      path: `${path}/balances/top-up-reversals`,
      body: { bankReference: 'REVERSED', reason: 'entered twice' },
    }),
    recordDeposit: async () => ({
      method: 'POST',
      path: `${OPERATOR}/deposits`,
      body: {
        currency: 'USD',
        amount: '1.00',
        bankReference: 'JUDGED',
        remitterName: 'A',
        remittanceText: 'x',
      },
    }),
    ignoreDeposit: async () => ({
      method: 'POST',
      path: `${OPERATOR}/deposits/${unknown}/ignore`,
      body: { reason: 'it is a test' },
    }),
    bookStatementEntry: async () => ({
      method: 'POST',
      path: `${OPERATOR}/statement-entries/${entries.items[0].entryId}/book`,
      body: { as: 'bank_charges', reason: 'a fee' },
    }),
    withdrawForCustomer: async () => ({
      method: 'POST',
      path: `${path}/balances/withdrawals`,
      body: { currency: 'EUR', amount: '3.00', reason: 'as asked by letter' },
      headers: { 'Idempotency-Key': `as asked ${++withdrawals}` },
    }),
    writeOffDebt: async () => ({
      method: 'POST',
      path: `${path}/balances/debt-write-offs`,
      body: { currency: 'USD', amount: '1.00', reason: 'not worth a reminder' },
      headers: { 'Idempotency-Key': `written off ${++withdrawals}` },
    }),
    createSettlementRun: async () => ({
      method: 'POST',
      path: `${OPERATOR}/settlement-runs`,
      body: { currency: 'EUR', valueDate: '2026-03-06' },
    }),
    markSettlementRunSent: async () => {
      const { runId } = (await run('created')) ?? (await made());
      return { method: 'POST', path: `${OPERATOR}/settlement-runs/${runId}/mark-sent` };
    },
    confirmWithdrawal: async () => ({
      method: 'POST',
      path: `${OPERATOR}/withdrawals/${paid}/paid`,
      body: {},
    }),
    failWithdrawal: async () => ({
      method: 'POST',
      path: `${OPERATOR}/withdrawals/${paid}/failed`,
      body: {},
    }),
    redirectWithdrawal: async () => ({
      method: 'POST',
      path: `${OPERATOR}/withdrawals/${redirected}/redirect`,
      body: {},
    }),
    releasePayout: async () => ({
      method: 'POST',
      path: `${OPERATOR}/transactions/${early}/settle`,
      body: {},
    }),
    cancelSettlementRun: async () => {
      const { runId, files, downloads } = await run('created');
      if (downloads.length === 0) await succeed(200, service.call('GET', files[0].url, { token: second }));
      return {
        method: 'POST',
        path: `${OPERATOR}/settlement-runs/${runId}/cancel`,
        body: { reason: 'not wanted' },
      };
    },
    setStatementMapping: async () => ({
      method: 'PUT',
      path: `${OPERATOR}/statement-mappings/ours`,
      body: {
        fileNames: ['ours-*.csv'],
        delimiter: ';',
        decimalMark: ',',
        groupMark: '.',
        dateFormat: 'DD.MM.YYYY',
        account: usdAccount,
        currency: 'USD',
        columns: { bookingDate: 'Datum', amount: 'Betrag', remittance: ['Text'], bankReference: 'Ref' },
      },
    }),
    acceptStatementFile: async () => ({
      method: 'POST',
      path: `${OPERATOR}/statements/${wrong.body.fileId}/accept`,
      body: { reason: 'the bank confirms it' },
    }),
    unwindTransaction: async () => ({
      method: 'POST',
      path: `${OPERATOR}/transactions/${unwound}/unwind`,
      body: {},
    }),
    setFourEyesPolicy: () =>
      replaced(`${OPERATOR}/four-eyes`, ({ rules, accountWaitHours }) => ({
        rules,
        accountWaitHours,
        rollingHours: 25,
      })),
  };
}
