import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../../test/support/service.ts';

const service = await startTestService();
const read = (ids: string) => service.operate('GET', `/v1/operator/actors?ids=${ids}`);
const NOBODY = 'per_01jngx7z5d2r4v6t9k3b1c0a8m';

test('those who acted are told by name, persons and programs, whoever has ended among them', async () => {
  const persons = (await service.operate('GET', '/v1/operator/persons')).body.items;
  const clients = (await service.operate('GET', '/v1/operator/clients')).body.clients;
  const [person, client] = [persons[0], clients[0]];
  const ended = await service.operate('DELETE', `/v1/operator/persons/${person.personId}`);
  assert.equal(ended.status, 204, ended.text);
  const { status, body } = await read(`${person.personId},${client.clientId},${NOBODY},${person.personId}`);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    items: [
      { actorId: person.personId, type: 'person', name: person.name },
      { actorId: client.clientId, type: 'client', name: client.name },
    ],
  });
});

test('what is no id of somebody who acts, and too many of them, are refused', async () => {
  for (const ids of ['', 'cus_01jngx7z5d2r4v6t9k3b1c0a8m', Array.from({ length: 51 }, () => NOBODY).join()]) {
    const { status, body } = await read(ids);
    assert.deepEqual([status, body.code], [400, 'validation_failed'], ids.slice(0, 40));
  }
});

test('a customer reads no names of operators', async () => {
  const { status } = await service.call('GET', `/v1/operator/actors?ids=${NOBODY}`);
  assert.equal(status, 403);
});
