import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createServer } from 'node:tls';
import { Desk, settings, THEM, temporaryFolder, until } from './testing/harness.ts';
import { MarketMaker } from './testing/market-maker.ts';

const NAME = 'fix.venue.test';

/** A venue behind TLS, with a certificate of its own making; undefined where there is no openssl. */
async function open(t: TestContext): Promise<{ readonly port: number; readonly ca: string } | undefined> {
  const folder = temporaryFolder(t);
  const [key, ca] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '1',
  ];
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  const made = spawnSync('openssl', [...request, ...subject, '-keyout', key, '-out', ca], {
    stdio: 'ignore',
  });
  if (made.status !== 0) return undefined;
  const maker = await MarketMaker.open({ compId: THEM, password: 'open sesame', intervalMs: 0 });
  t.after(() => maker.close());
  const server = createServer({ key: readFileSync(key), cert: readFileSync(ca) }, (outside) => {
    const inside = connect(maker.venue.port, '127.0.0.1');
    for (const socket of [outside, inside]) socket.on('error', () => {});
    outside.pipe(inside).pipe(outside);
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, ca };
}

test('a venue is known by its certificate: its authority, and its name', async (t) => {
  const venue = await open(t);
  if (venue === undefined) return t.skip('there is no openssl to make a certificate with');
  const { port, ca } = venue;
  const known = new Desk(t, temporaryFolder(t), settings(port, { tls: { ca, serverName: NAME } }));
  await known.next('tick');
  await known.stop();
  const wrong = [
    [{ serverName: NAME }, /self-signed certificate/],
    [{ ca, serverName: 'other.venue.test' }, /does not match certificate's altnames/],
    [{ ca }, /does not match certificate's altnames/],
  ] as const;
  for (const [tls, reason] of wrong) {
    const desk = new Desk(t, temporaryFolder(t), settings(port, { tls }));
    await until('the refusal', () => desk.venue.status().state === 'waiting');
    assert.match(desk.venue.status().error ?? '', reason);
    assert.equal(desk.venue.status().logons, 0);
    await desk.stop();
  }
});
