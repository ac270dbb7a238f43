import type { FastifyRequest } from 'fastify';

/**
 * Holds what stands inside of a request against its schema, in the words of a body.
 * @param part of the request, and where in it the value stands
 * @throws what Fastify throws for a request of the wrong form
 */
export function requireForm(
  request: FastifyRequest,
  schema: object,
  value: unknown,
  { part, at }: { readonly part: 'body' | 'querystring'; readonly at: string } = { part: 'body', at: '' },
): void {
  const validate = request.compileValidationSchema(schema as { [key: string]: unknown });
  if (validate(value)) return;
  const validation = validate.errors?.map((error) => ({
    ...error,
    instancePath: `${at}${error.instancePath}`,
  }));
  const error = new Error('what stands in the request is of the wrong form');
  throw Object.assign(error, { validation, validationContext: part, statusCode: 400 });
}
