import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { COMPILED } from '../../service/test/support/shell.ts';
import { startWorld } from './support/world.ts';

const BIN = resolve(import.meta.dirname, '../src/bin.ts');
const { service, home, asCustomer, sandboxFile } = await startWorld();
const { customer, operator } = service.sandbox;
const READING = [
  'get_indicative_price',
  'get_market_status',
  'get_quote',
  'get_rates',
  'get_sandbox_clock',
  'get_transaction',
  'list_quotes',
  'list_transactions',
];
const WRITING = [
  'cancel_quote',
  'execute_quote',
  'move_sandbox_clock',
  'request_quote',
  'trigger_sandbox_event',
];
const ORDER = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1000.00' };

/** An assistant's end of the pipe. */
class Assistant {
  readonly client = new Client({ name: 'test', version: '1' });
  /** What was on stdout and is not of the protocol. */
  readonly strays: Error[] = [];
  stderr = '';

  static async open(args: readonly string[] = [], env: Readonly<Record<string, string>> = asCustomer) {
    const assistant = new Assistant();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp', ...args],
      env: { ...COMPILED, HOME: home.folder, PATH: process.env.PATH ?? '', ...env },
      stderr: 'pipe',
    });
    transport.stderr?.on('data', (text: Buffer) => {
      assistant.stderr += text.toString();
    });
    assistant.client.onerror = (error) => assistant.strays.push(error);
    after(() => assistant.client.close());
    await assistant.client.connect(transport);
    return assistant;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  async call(name: string, given: object = {}): Promise<{ isError: boolean; data: any; text: string }> {
    const { content, isError } = await this.client.callTool({ name, arguments: { ...given } });
    const [first] = content as { type: string; text: string }[];
    const text = first?.text ?? '';
    return { isError: isError === true, text, data: text.startsWith('{') ? JSON.parse(text) : undefined };
  }

  async names(): Promise<string[]> {
    const { tools } = await this.client.listTools();
    return tools.map(({ name }) => name).sort();
  }
}

async function tradesOf(quoteId: string): Promise<string[]> {
  const { body } = await service.call('GET', `/v1/customer/transactions?quoteId=${quoteId}`);
  return body.items.map(({ transactionId }: { transactionId: string }) => transactionId);
}

const reader = await Assistant.open();
const trader = await Assistant.open(['--allow-trading']);

test('without leave to trade there is nothing but reading', async () => {
  assert.deepEqual(await reader.names(), READING);
  const { tools } = await reader.client.listTools();
  assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
  assert.match(reader.client.getInstructions() ?? '', /You cannot trade/);
  const { body: quote } = await service.call('POST', '/v1/customer/quotes', { body: ORDER });
  const { quoteId, sellAmount, buyAmount } = quote;
  for (const [name, given] of [
    ['request_quote', ORDER],
    ['execute_quote', { quoteId, sellAmount, buyAmount }],
    ['cancel_quote', { quoteId }],
    ['move_sandbox_clock', { advanceSeconds: 1 }],
  ] as const) {
    await assert.rejects(async () => {
      const { isError, text } = await reader.call(name, given);
      if (isError) throw new Error(text);
    }, /not found|unknown tool/i);
  }
  const { data } = await reader.call('get_quote', { quoteId });
  assert.deepEqual([data.status, data.version, data.buyAmount], ['open', 1, buyAmount]);
  assert.deepEqual(await tradesOf(quoteId), []);
});

test('an assistant reads rates, prices, quotes and transactions', async () => {
  const { data: rates } = await reader.call('get_rates', { pairs: ['EURUSD', 'USDJPY'] });
  assert.deepEqual(rates.prices.map(({ pair }: { pair: string }) => pair).sort(), ['EURUSD', 'USDJPY']);
  const { data: price } = await reader.call('get_indicative_price', ORDER);
  assert.deepEqual([price.type, price.sellAmount], ['indicative', '1000.00']);
  const { data: quotes } = await reader.call('list_quotes', { status: 'open', limit: 5 });
  assert.ok(quotes.quotes.length >= 1);
  const { data: transactions } = await reader.call('list_transactions', { status: 'settled' });
  assert.deepEqual(transactions, { transactions: [] });
  const { data: market } = await reader.call('get_market_status');
  assert.equal(typeof market.market.state, 'string');
});

test('an execution needs exactly the amounts of the quote, and is one trade', async () => {
  assert.deepEqual(await trader.names(), [...READING, ...WRITING].sort());
  const { data: quote } = await trader.call('request_quote', { ...ORDER, clientReference: 'by hand' });
  const { quoteId, sellAmount, buyAmount } = quote;
  for (const wrong of [
    { sellAmount, buyAmount: '999999.00' },
    { sellAmount: '1000', buyAmount },
    { sellAmount: buyAmount, buyAmount: sellAmount },
  ]) {
    const { isError, data } = await trader.call('execute_quote', { quoteId, ...wrong });
    assert.ok(isError);
    assert.equal(data.code, 'amounts_differ');
    assert.match(data.message, new RegExp(`sells ${sellAmount} USD and buys ${buyAmount} EUR`));
    assert.match(data.nextStep, /^Show these amounts/);
  }
  assert.ok((await trader.call('execute_quote', { quoteId })).isError, 'amounts are needed');
  const { data: before } = await trader.call('get_quote', { quoteId });
  assert.deepEqual([before.status, before.version], ['open', 1]);

  const right = { quoteId, sellAmount, buyAmount };
  const { isError, data: trade } = await trader.call('execute_quote', right);
  assert.ok(!isError);
  assert.equal(trade.buyAmount, buyAmount);
  const again = await trader.call('execute_quote', right);
  assert.ok(again.isError);
  assert.deepEqual(
    [again.data.code, again.data.transactionId],
    ['quote_already_executed', trade.transactionId],
  );
  assert.deepEqual(await tradesOf(quoteId), [trade.transactionId]);
  const { data: read } = await trader.call('get_transaction', { transactionId: trade.transactionId });
  assert.equal(read.quoteId, quoteId);
});

test('a quote can be given up', async () => {
  const { data: quote } = await trader.call('request_quote', ORDER);
  const { data: cancelled } = await trader.call('cancel_quote', { quoteId: quote.quoteId });
  assert.equal(cancelled.status, 'cancelled');
  const { quoteId, sellAmount, buyAmount } = quote;
  const { data } = await trader.call('execute_quote', { quoteId, sellAmount, buyAmount });
  assert.equal(data.code, 'quote_cancelled');
});

test('a lost answer is an unknown outcome, and no second trade', async (t) => {
  const proxy = createServer(loseExecutions).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  const FIRMQUOTE_BASE_URL = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const cutOff = await Assistant.open(['--allow-trading'], { ...asCustomer, FIRMQUOTE_BASE_URL });
  const { data: quote } = await cutOff.call('request_quote', ORDER);
  const { quoteId, sellAmount, buyAmount } = quote;
  const right = { quoteId, sellAmount, buyAmount };
  const { isError, data } = await cutOff.call('execute_quote', right);
  assert.ok(isError);
  assert.equal(data.code, 'outcome_unknown');
  assert.equal(data.retryable, false);
  assert.match(data.nextStep, /^Do not trade again\. Call get_quote/);

  const { data: known } = await cutOff.call('get_quote', { quoteId });
  assert.deepEqual([known.status, await tradesOf(quoteId)], ['executed', [known.transactionId]]);
  const { data: again } = await cutOff.call('execute_quote', right);
  assert.deepEqual([again.code, again.transactionId], ['quote_already_executed', known.transactionId]);
  assert.deepEqual(await tradesOf(quoteId), [known.transactionId]);
  assert.deepEqual(cutOff.strays, []);
});

/** Hands everything on to the service; of executions the answers are lost. */
function loseExecutions(asked: IncomingMessage, answer: ServerResponse): void {
  const { method, headers, url = '/' } = asked;
  const onward = request(new URL(url, service.baseUrl), { method, headers }, (answered) => {
    if (url.endsWith('/execute')) {
      answered.resume().once('end', () => asked.socket.destroy());
      return;
    }
    answer.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(answer);
  });
  asked.pipe(onward);
}

test('the sandbox is moved by whoever signed in to it', async () => {
  const login = await home.run(['login', '--sandbox', sandboxFile]);
  assert.equal(login.code, 0, login.stderr);
  const assistant = await Assistant.open(['--allow-trading'], {});
  assert.equal((await assistant.call('get_sandbox_clock')).data.offsetMs, 0);
  const { data: quote } = await assistant.call('request_quote', ORDER);
  const { quoteId, sellAmount, buyAmount } = quote;
  const { data: trade } = await assistant.call('execute_quote', { quoteId, sellAmount, buyAmount });
  const { transactionId } = trade;
  const paid = await assistant.call('trigger_sandbox_event', { transactionId, event: 'deposit' });
  assert.ok(!paid.isError, paid.text);
  const { data } = await assistant.call('get_transaction', { transactionId });
  assert.equal(data.funding.received, '1000.00');
  // Who is no operator is told so.
  const { isError, data: refused } = await reader.call('get_sandbox_clock');
  assert.ok(isError);
  assert.equal(refused.code, 'insufficient_scope');
  assert.ok(refused.nextStep.length > 10);
});

test('what is refused has a next step and no secret', async () => {
  const { isError, data } = await reader.call('get_quote', { quoteId: 'quote_00000000000000000000000000' });
  assert.ok(isError);
  assert.equal(data.code, 'quote_not_found');
  assert.ok(data.nextStep.length > 10 && data.requestId.length > 10);
  const secret = 'no-secret-that-anybody-has';
  const stranger = await Assistant.open([], {
    ...asCustomer,
    // Without the token that the others have put by.
    HOME: join(home.folder, 'stranger'),
    FIRMQUOTE_CLIENT_SECRET: secret,
  });
  const wrong = await stranger.call('list_quotes');
  assert.ok(wrong.isError);
  assert.equal(wrong.data.code, 'invalid_client');
  assert.ok(wrong.data.nextStep.length > 10);
  for (const each of [reader, trader, stranger]) {
    assert.deepEqual(each.strays, []);
    for (const word of [secret, customer.clientSecret, operator.clientSecret]) {
      assert.ok(!`${wrong.text}${each.stderr}`.includes(word));
    }
  }
});

test('stdout carries the protocol and nothing else, also with --debug', async () => {
  const child = spawn(process.execPath, [BIN, 'mcp', '--debug'], {
    env: { ...COMPILED, ...asCustomer, HOME: join(home.folder, 'nobody'), PATH: process.env.PATH ?? '' },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      // The third answer is the last.
      if (output.stdout.split('\n').length > 3) child.stdin.end();
    });
  }
  const capabilities = {};
  const clientInfo = { name: 'raw', version: '1' };
  const messages = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'get_market_status', arguments: {} } },
    { id: 3, method: 'tools/call', params: { name: 'get_quote', arguments: { quoteId: 'quote_x' } } },
  ];
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  const lines = output.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ jsonrpc, id }) => [jsonrpc, id]).sort(),
    [1, 2, 3].map((id) => ['2.0', id]),
  );
  assert.match(output.stderr, /debug: /);
});

test('who is not signed in is told how, before anything is served', async () => {
  const { code, stdout, stderr } = await home.run(['mcp', '--profile', 'nobody'], { env: {} });
  assert.notEqual(code, 0);
  assert.equal(stdout, '');
  assert.match(stderr, /next: .*firmquote login/s);
});
