import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Compile } from 'typebox/schema';
import { ANSWERED, shownAnswerOf, withAnswer } from './answers.ts';
import { JUDGED } from './four-eyes.ts';
import { customersOperations, openApiDocument } from './openapi.ts';
import { jsonText } from './openapi-text.ts';
import { answerHeadersOf, goodAnswerOf, goodStatusOf, isDeclaration, type Operation } from './operation.ts';
import { OPERATIONS } from './operations/index.ts';
import { REQUEST_EXAMPLES } from './operations/request-examples.ts';
import { nameOf } from './schema.ts';

const addressOf = ({ method, path }: Operation) => `${method} ${path}`;
const duplicates = (values: readonly string[]) =>
  values.filter((value, index) => values.indexOf(value) !== index);

test('what moves money or opens a door takes a fresh sign-in, and nothing that only reads does', () => {
  const fresh = OPERATIONS.filter(({ access }) => access?.fresh === true);
  const moving =
    /Withdrawal$|^withdrawFor|Payout$|Refund$|^refund|^topUp|^reverseTopUp|^command(Trans|Dep)|SettlementRun(Sent|File)?$|^returnDeposit|^recordDeposit|^payDebt|^writeOffDebt|^(confirm|fail)DepositReturn/;
  const opening =
    /Instruction$|CollectionAccount$|VirtualAccount$|^(create|add|set|resume|update)(Credential|OperatorClient)|Limits$|^setRole$|^enableSource$|Person|^renewInvitation|^removePasskey|^renewRecoveryCodes|^resume|^releaseHold|^unwind|^approve$/;
  for (const { id, access } of fresh) {
    assert.equal(access?.audience, 'operator', id);
    assert.match(id, new RegExp(`${moving.source}|${opening.source}`), id);
  }
  const gets = fresh.filter(({ method }) => method === 'GET').map(({ id }) => id);
  assert.deepEqual(gets, ['downloadSettlementRunFile'], 'a payment file is money on its way');
  const ids = new Set(fresh.map(({ id }) => id));
  for (const id of [
    ...[
      'approve',
      'addSettlementInstruction',
      'setCollectionAccount',
      'createCredential',
      'addCredentialSecret',
    ],
    ...[
      'createOperatorClient',
      'resumeMarket',
      'retryPayout',
      'redirectPayout',
      'confirmPayout',
      'topUpBalance',
    ],
    ...['setPersonRoles', 'createSettlementRun', 'returnDeposit', 'withdrawForCustomer', 'unwindTransaction'],
  ])
    assert.ok(ids.has(id), id);
});

test('every command of a kind that moves money or opens a door takes a fresh sign-in', () => {
  const kinds = [
    ...['settlement_instruction', 'account_released', 'house_account', 'customer_client', 'operator_client'],
    ...['person', 'role', 'halt_lifted', 'hold_released', 'limits', 'balance_top_up', 'recorded_deposit'],
    ...['withdrawal', 'customer_debt', 'payment_confirmed', 'payment_failed', 'payment_retried'],
    ...['payment_released', 'payment_file', 'payment_file_out', 'unwinding'],
  ];
  const stale = OPERATIONS.filter(({ id, access }) => {
    const kind = JUDGED[id]?.kind;
    return kind !== undefined && kinds.includes(kind) && access?.fresh !== true;
  });
  assert.deepEqual(
    stale.map(({ id }) => id),
    [],
  );
});

test('ids in bodies are of limited length', () => {
  const endless = OPERATIONS.flatMap(({ id, body }) =>
    body === undefined ? [] : endlessIds(body).map((pointer) => `${id} ${pointer}`),
  );
  assert.deepEqual(endless, []);
});

test('what is told of a reading is told whichever operation shows the same', () => {
  // Lists to choose from, which pages read all the time: whoever opens one of them is told of.
  const toChooseFrom = ['listCustomers', 'listApprovals'];
  const shown = ({ answers }: Operation): string | undefined => {
    const answer = answers[200] as { readonly properties?: { readonly items?: { readonly items?: object } } };
    return answer === undefined
      ? undefined
      : (nameOf(answer) ?? nameOf(answer.properties?.items?.items ?? {}));
  };
  const reading = OPERATIONS.filter(
    ({ method, access }) => method === 'GET' && access?.audience === 'operator',
  );
  const told = new Set(reading.filter(({ audited }) => audited === 'read').map(shown));
  const proofs = new Set(['LogProof', undefined]);
  const untold = reading.filter(
    (each) => each.audited !== 'read' && told.has(shown(each)) && !proofs.has(shown(each)),
  );
  assert.deepEqual(untold.map(({ id }) => id).sort(), toChooseFrom.sort());
});

describe('every operation', () => {
  test('has an id and an address of its own', () => {
    assert.deepEqual(duplicates(OPERATIONS.map(({ id }) => id)), []);
    assert.deepEqual(duplicates(OPERATIONS.map(addressOf)), []);
    for (const { id } of OPERATIONS) assert.match(id, /^[a-z]+([A-Z][a-z]+|[A-Z]?[a-z]*\d+)*$/, id);
  });

  test('declares the parameters that its path names, and no others', () => {
    for (const { id, path, params = {} } of OPERATIONS) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      assert.deepEqual(Object.keys(params).sort(), named.sort(), id);
    }
  });

  test('is said in a few words without a full stop', () => {
    for (const { id, summary } of OPERATIONS) {
      assert.match(summary, /^[A-Z].{2,79}[^.]$/s, `${id}: ${summary}`);
    }
  });

  test('has descriptions in whole sentences', () => {
    for (const { id, description } of OPERATIONS) {
      if (description !== undefined) assert.match(description, /^[A-Z`0-9].*[.)]$/s, `${id}: ${description}`);
    }
  });

  test('reads with GET, without body or key, and takes pages only there', () => {
    for (const { id, method, body, key, pages, revalidates, conditional } of OPERATIONS) {
      if (method === 'GET')
        assert.ok(body === undefined && key === undefined && conditional === undefined, id);
      else assert.ok(pages === undefined && revalidates === undefined, id);
    }
  });

  test('lists by an id only where one of the wrong form is refused: an empty page would say that there is nothing', () => {
    for (const { id, pages, query = {} } of OPERATIONS) {
      if (pages !== true) continue;
      for (const [name, { kind }] of Object.entries(query))
        assert.ok(kind.of !== 'id' || kind.isStrict === true, `${id} ${name}`);
    }
  });

  test('brings the version that it shows as an ETag', () => {
    // Of what is kept and never changes, and of a transaction beside what its unwinding would do.
    const others = ['getSpreadRuleVersion', 'quoteUnwinding'];
    for (const each of OPERATIONS) {
      const { properties } = (goodAnswerOf(each) ?? {}) as { readonly properties?: object };
      if (properties === undefined || !('version' in properties) || others.includes(each.id)) continue;
      assert.ok(answerHeadersOf(each, goodStatusOf(each)).includes('ETag'), each.id);
    }
  });

  test('needs a key only where it takes one, and keeps none of its own where a second person may decide', () => {
    for (const { id, key, needsKey } of OPERATIONS) {
      assert.ok(needsKey === undefined || key !== undefined, id);
      // What is approved is done again without the headers that it came with.
      assert.ok(!(id in JUDGED && key === 'own'), id);
    }
  });

  test('answers something good', () => {
    for (const { id, access, answers } of OPERATIONS) {
      const statuses = Object.keys(answers);
      assert.ok(statuses.length > 0, id);
      assert.match(statuses[0] ?? '', /^[123]\d\d$/, id);
      // Who has a token is refused with problems; what anybody may ask can have refusals of its own form.
      if (access !== undefined) for (const status of statuses) assert.match(status, /^[123]\d\d$/, id);
      for (const answer of Object.values(answers)) {
        if (isDeclaration(answer)) assert.ok(answer.description.length > 0, id);
      }
    }
  });
});

test('the document refers to nothing that it does not hold, and holds nothing that nobody refers to', () => {
  const document = openApiDocument(OPERATIONS);
  const text = JSON.stringify(document);
  const refs = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, ref]) => ref));
  const components = document.components as Record<string, object>;
  const held = Object.entries(components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, parts]) => Object.keys(parts).map((name) => `${kind}/${name}`));
  assert.deepEqual([...refs].sort(), held.sort());
});

test('every operation that takes a JSON body shows a good request, to the last member', () => {
  for (const { id, body, bodyMedia = ['application/json'], example } of OPERATIONS) {
    if (body === undefined || !bodyMedia.includes('application/json')) {
      assert.equal(example?.body, undefined, id);
      continue;
    }
    const request = example?.body ?? exampleOf(body);
    // Of what takes nothing an empty object is the only request.
    if (takesNothing(body)) assert.equal(request, undefined, id);
    else {
      assert.ok(request !== undefined, `${id} needs a request in request-examples.ts`);
      assert.deepEqual(faults(body, request), [], `${id} takes`);
    }
  }
  const ids = new Set(OPERATIONS.map(({ id }) => id));
  assert.deepEqual(
    Object.keys(REQUEST_EXAMPLES).filter((id) => !ids.has(id)),
    [],
  );
});

test('the documents grow with the operations, and the one of customers stays small (decision 0046)', () => {
  const bytes = (operations: readonly Operation[]) =>
    Buffer.byteLength(jsonText(openApiDocument(operations)));
  const each = bytes(OPERATIONS) / OPERATIONS.length;
  assert.ok(each <= 2_050, `${Math.ceil(each)} bytes an operation`);
  const ofCustomers = bytes(customersOperations(OPERATIONS).map(withAnswer));
  assert.ok(ofCustomers < 400_000, `${ofCustomers} bytes for customers`);
});

test('every operation shows a good answer, to the last member', () => {
  for (const each of OPERATIONS) {
    const schema = goodAnswerOf(each);
    const answer = shownAnswerOf(each);
    if (schema === undefined) assert.equal(answer, undefined, each.id);
    else {
      assert.ok(answer !== undefined, `${each.id} needs an answer in answers.json`);
      assert.deepEqual(faults(schema, answer), [], `${each.id} answers`);
    }
  }
  const ids = new Set(OPERATIONS.filter((each) => showsItself(each) === undefined).map(({ id }) => id));
  assert.deepEqual(
    ANSWERED.filter((id) => !ids.has(id)),
    [],
    'answers of nobody, or of who shows another',
  );
});

test('answers that several operations share are shown to the last member', () => {
  const schemas = new Set(OPERATIONS.flatMap(({ answers }) => Object.values(answers).map(bodyOf)));
  for (const schema of schemas) {
    const example = exampleOf(schema);
    if (example === undefined) continue;
    assert.deepEqual(faults(schema, example), [], `the example of ${nameOf(schema as object)}`);
  }
});

function showsItself(operation: Operation): unknown {
  return operation.example?.answer ?? exampleOf(goodAnswerOf(operation));
}

/** Pointers to members of a body that are named after an id and take a text of any length. */
function endlessIds(schema: unknown, pointer = ''): string[] {
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly items?: unknown;
    readonly anyOf?: readonly unknown[];
  };
  const { type, maxLength, pattern, enum: values } = schema as Readonly<Record<string, unknown>>;
  const isEndless =
    type === 'string' && maxLength === undefined && pattern === undefined && values === undefined;
  return [
    ...(isEndless && /Id$/.test(pointer) ? [pointer] : []),
    ...Object.entries(properties).flatMap(([name, member]) => endlessIds(member, `${pointer}/${name}`)),
    ...(items === undefined ? [] : endlessIds(items, `${pointer}/*`)),
    ...anyOf.flatMap((each) => endlessIds(each, pointer)),
  ];
}

function bodyOf(answer: Operation['answers'][number]): unknown {
  return isDeclaration(answer) ? answer.content?.['application/json'] : answer;
}

function exampleOf(schema: unknown): unknown {
  return (schema as { readonly examples?: readonly unknown[] } | undefined)?.examples?.[0];
}

function takesNothing(schema: unknown): boolean {
  const { properties } = schema as { readonly properties?: object };
  return properties !== undefined && Object.keys(properties).length === 0;
}

function faults(schema: unknown, value: unknown): unknown[] {
  const [isValid, errors] = Compile(closed(schema) as object).Errors(value);
  return isValid ? [] : [...errors];
}

/** With every object closed that does not say that it is open. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return copy.type === 'object' && 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}
