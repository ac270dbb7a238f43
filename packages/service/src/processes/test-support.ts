import assert from 'node:assert/strict';
import { Channel } from './channel.ts';
import type { ToChild, ToParent } from './messages.ts';

/** Channels of so many processes, with a parent between them that passes on at once what they say. */
export function channelsOf(count: number): {
  readonly channels: readonly Channel[];
  readonly messages: ToParent[];
} {
  const messages: ToParent[] = [];
  const asked = new Map<
    number,
    { readonly by: Channel; readonly id: number; readonly answers: [number, unknown][] }
  >();
  let lastId = 0;
  const channels: Channel[] = Array.from(
    { length: count },
    (_, index) => new Channel(index + 1, count, (message) => pass(index + 1, parsed(message))),
  );

  function pass(from: number, message: ToParent): void {
    messages.push(message);
    const own = channels[from - 1] ?? assert.fail();
    const others = channels.filter(
      (channel) =>
        channel !== own && (!('to' in message) || message.to === undefined || message.to === channel.own),
    );
    if (message.type === 'news') {
      for (const other of others) other.take({ type: 'news', news: message.news });
      if (message.to === undefined) own.take({ type: 'taken' });
    } else if (message.type === 'notify') {
      const { subject, value } = message;
      for (const other of others) other.take({ type: 'notified', from, subject, value });
    } else if (message.type === 'ask') {
      lastId += 1;
      asked.set(lastId, { by: own, id: message.id, answers: [] });
      for (const other of others)
        other.take({ type: 'asked', id: lastId, question: message.question, value: message.value });
    } else if (message.type === 'answer') {
      const question = asked.get(message.id) ?? assert.fail();
      question.answers.push([from, message.value]);
      if (question.answers.length === count - 1)
        question.by.take({ type: 'answers', id: question.id, answers: question.answers });
    }
  }

  return { channels, messages };
}

/** As it arrives. */
function parsed<T extends ToParent | ToChild>(message: T): T {
  return JSON.parse(JSON.stringify(message)) as T;
}
