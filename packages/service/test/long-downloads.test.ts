import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { before, test } from 'node:test';
import { succeed } from './support/acceptance.ts';
import { startTestService, type TestService } from './support/service.ts';

/** A file is sent for as long as who reads it may, however slowly it is read. */

/** More than two systems take for a reader who does not read. */
const FILE = 'not a statement\n'.repeat(2 * 1024 * 1024);

let service: TestService;
let fileId: string;

before(async () => {
  service = await startTestService();
  const upload = await service.call('POST', '/v1/operator/statements', {
    token: service.operatorToken,
    body: FILE,
    headers: { 'Content-Type': 'application/octet-stream' },
  });
  fileId = upload.body.fileId;
});

/** Begins to read the file, lets something happen, and reads the rest. */
async function readAround(
  token: string,
  work: () => Promise<unknown>,
): Promise<{ bytes: number; isCut: boolean }> {
  const sent = httpRequest(`${service.baseUrl}/v1/operator/statements/${fileId}/file`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  await work();
  let bytes = 0;
  try {
    for await (const piece of response) bytes += (piece as Buffer).length;
  } catch {
    return { bytes, isCut: true };
  }
  return { bytes, isCut: false };
}

const operator = async () => {
  const { body } = await succeed(
    201,
    service.operate('POST', '/v1/operator/clients', { name: 'reader', scopes: ['operator:statements'] }),
  );
  return { ...body, token: await service.token(body.clientId, body.clientSecret) };
};

test('a file is sent to its end', async () => {
  const { token } = await operator();
  assert.deepEqual(await readAround(token, async () => undefined), { bytes: FILE.length, isCut: false });
});

test('a file breaks off when its reader is suspended meanwhile', async () => {
  const { token, clientId } = await operator();
  const read = await readAround(token, () =>
    succeed(200, service.operate('POST', `/v1/operator/clients/${clientId}/suspend`, {})),
  );
  assert.equal(read.isCut, true);
  assert.ok(read.bytes < FILE.length);
});
