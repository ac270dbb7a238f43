import { type FastifyInstance, fastify } from 'fastify';

/** Fastify with the service's way of validating, and nothing else. */
export function bareServer(): FastifyInstance {
  return fastify({
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true, strict: false } },
  });
}

/** Listens where there is room, and tells on standard output. */
export async function listen(app: FastifyInstance, name: string): Promise<void> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  process.stdout.write(`${name} listens on ${typeof address === 'object' ? address?.port : ''}\n`);
}
