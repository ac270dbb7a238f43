import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { databaseProcesses } from '@firmquote/embedded-postgres/testing';
import { QUOTE_BODY, sandboxApis } from '../../packages/service/test/support/api.ts';
import { assertNothingIsHalf, countOf } from '../../packages/service/test/support/audit.ts';
import {
  embeddedPool,
  type ServiceProcess,
  startService,
  temporaryFolder,
} from '../../packages/service/test/support/process.ts';
import { executePath } from '../../packages/service/test/support/traffic.ts';
import { ROOT } from '../test/kit.ts';
import type { OpenLoopOrder, OpenLoopResult } from './open-loop.ts';
import { attempt, skipWithout } from './shell.ts';

/**
 * Five times the load that the service can carry, from customers who do not wait for each other. The service and its database have
 * one core, the customers another one, so that they do not take from the service what is to be measured.
 */

const TIMES = 5;
const ROUND_MS = 6_000;
const ROUNDS = 3;
/** Of what is done with a second of processor when nobody asks for more: the rest is what refusing takes. */
const KEPT = 0.75;
/** Longest p99 of what is accepted: so many times that of the peak, at which 64 are under way; or this, where that is little. */
const P99_TIMES = 8;
const P99_MS = 1_000;
const MEMORY_MB = 100;

async function load(order: OpenLoopOrder): Promise<OpenLoopResult> {
  const script = join(ROOT, 'ops/drills/open-loop.ts');
  const args = ['-c', '1', process.execPath, script, JSON.stringify(order)];
  const { stdout } = await promisify(execFile)('taskset', args, { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout) as OpenLoopResult;
}

/** The service with its database, on the first core. */
async function startOnOneCore(t: TestContext): Promise<ServiceProcess> {
  const service = await startService(t, temporaryFolder(t), { FIRMQUOTE_LOG_LEVEL: 'warn' });
  for (const pid of [service.child.pid, ...databaseProcesses(service.dataDir)])
    attempt('taskset', ['-a', '-p', '-c', '0', String(pid)]);
  return service;
}

const TICKS_PER_SECOND = 100;

/** Seconds of a processor that the service and its database have used. */
function processorSeconds(service: ServiceProcess): number {
  const ticks = [service.child.pid, ...databaseProcesses(service.dataDir)].map((pid) => {
    try {
      const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) /);
      const fields = after.split(' ');
      return Number.parseInt(fields[11] ?? '0', 10) + Number.parseInt(fields[12] ?? '0', 10);
    } catch {
      // A worker of the database that has ended meanwhile.
      return 0;
    }
  });
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

/** What a load takes of the processor: on a machine with other work it says more than time. */
async function costing<Result>(service: ServiceProcess, run: Promise<Result>) {
  const before = processorSeconds(service);
  const result = await run;
  return { result, seconds: processorSeconds(service) - before };
}

/** Trades in a second. */
function rateOf({ executions }: OpenLoopResult): number {
  return executions.accepted / (ROUND_MS / 1_000);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

test('under five times its load the service does what it can, tells the others when to come back, and goes on', {
  skip: skipWithout('anybody', 'taskset'),
}, async (t) => {
  const service = await startOnOneCore(t);
  const { customer, operator } = await sandboxApis(service);
  await operator.expect(200, 'POST', '/v1/sandbox/bank', { autoDeposit: false });
  const port = Number.parseInt(new URL(service.baseUrl).port, 10);
  const pid = service.child.pid ?? 0;
  const { token } = customer;
  const closed: OpenLoopOrder = {
    ...{ port, token, pid, perSecond: null, connections: 64, warmUpMs: 1_500, measureMs: ROUND_MS },
  };
  const peaks: OpenLoopResult[] = [];
  const rounds: OpenLoopResult[] = [];
  /** Trades of a processor's second, under load against the peak. */
  const ratios: number[] = [];
  let acknowledged = 0;
  await load(closed);
  const before = await countOf(embeddedPool(t, service.dataDir), 'transactions');
  for (let round = 0; round < ROUNDS; round++) {
    const { result: calm, seconds: calmSeconds } = await costing(service, load(closed));
    assert.equal(calm.quotes.refused + calm.executions.refused, 0, 'nothing is refused at the peak');
    assert.equal(calm.quotes.other + calm.executions.other, 0, calm.firstOther);
    acknowledged += calm.acknowledged;
    peaks.push(calm);
    const order: OpenLoopOrder = {
      ...{ port, token, pid, perSecond: Math.round(rateOf(calm) * TIMES), connections: 2_000 },
      ...{ warmUpMs: 2_000, measureMs: ROUND_MS },
    };
    const { result, seconds } = await costing(service, load(order));
    rounds.push(result);
    ratios.push(result.acknowledged / seconds / (calm.acknowledged / calmSeconds));
    acknowledged += result.acknowledged;
    assert.equal(result.quotes.other + result.executions.other, 0, result.firstOther);
    tellRound(t, calm, result);
  }

  const inTime = rounds.map((each, i) => rateOf(each) / rateOf(peaks[i] ?? each));
  const sum = (pick: (each: OpenLoopResult) => number) => rounds.reduce((all, each) => all + pick(each), 0);
  const refusedShare = (kind: 'quotes' | 'executions') =>
    sum((each) => each[kind].refused) / sum((each) => each[kind].accepted + each[kind].refused);
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  t.diagnostic(
    `kept ${percent(median(ratios))} of the peak for a second of processor, ${percent(median(inTime))} for a second of time`,
  );

  // Somebody who comes back when he was told to is served.
  await sleep(1_000);
  const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  await customer.expect(201, 'POST', executePath(quote));
  const pool = embeddedPool(t, service.dataDir);
  const made = (await countOf(pool, 'transactions')) - before - 1;
  t.diagnostic(
    `acknowledged ${acknowledged}, found ${made}, lost or doubled ${Math.abs(acknowledged - made)}`,
  );
  assert.equal(made, acknowledged);
  await assertNothingIsHalf(pool);
  assert.ok(median(ratios) >= KEPT, `${median(ratios)} of the peak`);
  assert.ok(refusedShare('quotes') > 0.3, 'it was too much');
  assert.ok(refusedShare('executions') < 0.01, 'executions are refused last');
  const p99 = Math.max(P99_MS, P99_TIMES * median(peaks.map(({ executions }) => executions.p99Ms)));
  for (const { quotes, executions, memoryBefore, memoryAfter } of rounds) {
    assert.ok(Math.max(quotes.p99Ms, executions.p99Ms) < p99, 'what is accepted is soon done');
    assert.ok(memoryAfter - memoryBefore < MEMORY_MB, 'memory is flat');
  }
});

function tellRound(t: TestContext, calm: OpenLoopResult, result: OpenLoopResult): void {
  const { offered, unsent, quotes, executions, memoryBefore, memoryAfter } = result;
  const seconds = ROUND_MS / 1_000;
  const perSecond = (count: number) => Math.round(count / seconds);
  t.diagnostic(
    [
      `peak ${Math.round(rateOf(calm))} trades/s (p99 ${calm.executions.p99Ms} ms)`,
      `offered ${perSecond(offered)}/s, of which ${perSecond(unsent)}/s found no connection`,
      `quoted ${perSecond(quotes.accepted)}/s, done ${perSecond(executions.accepted)} trades/s`,
      `quotes refused ${perSecond(quotes.refused)}/s, p99 of the others ${quotes.p99Ms} ms`,
      `executions refused ${perSecond(executions.refused)}/s, p99 of the others ${executions.p99Ms} ms`,
      `memory ${memoryBefore} to ${memoryAfter} MB`,
    ].join('; '),
  );
}
