import { mappingErrors } from '@firmquote/bank-formats';
import type { FastifyInstance } from 'fastify';
import { ProblemSchema } from '../http/schema.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import { CsvMappingInput, type MappingBody } from './mapping-schema.ts';
import { deleteMapping, listMappings, MAPPINGS_MAX, writeMapping } from './mapping-store.ts';
import { requireMapping } from './mappings.ts';
import { access, type StatementRoutesOptions, tags } from './route-parts.ts';
import { MappingAnswer, MappingList, MappingParams } from './schema.ts';
import { mappingView } from './view.ts';

const MAPPINGS_PATH = '/v1/operator/statement-mappings';

interface ByName {
  Params: { name: string };
}

/** How CSV files are read. */
export function mappingRoutes(app: FastifyInstance, { room }: StatementRoutesOptions): void {
  const { pool, clock } = room;
  app.get(
    MAPPINGS_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List mappings of CSV files',
        response: { 200: MappingList, default: ProblemSchema },
      },
    },
    async () => ({ items: (await listMappings(pool)).map(mappingView) }),
  );
  app.get<ByName>(
    `${MAPPINGS_PATH}/:name`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'A mapping of CSV files',
        params: MappingParams,
        response: { 200: MappingAnswer, default: ProblemSchema },
      },
    },
    async (request) => mappingView(await requireMapping(pool, request.params.name)),
  );
  app.put<ByName & { Body: MappingBody }>(
    `${MAPPINGS_PATH}/:name`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Set a mapping of CSV files',
        params: MappingParams,
        body: CsvMappingInput,
        response: { 200: MappingAnswer, default: ProblemSchema },
      },
    },
    async (request) => {
      const errors: FieldError[] = mappingErrors(request.body).map((error) => ({
        ...error,
        code: 'not_permitted',
      }));
      if (!/^[a-z0-9][a-z0-9_-]{0,39}$/.test(request.params.name)) {
        const detail = 'must be 1 to 40 of a to z, 0 to 9, - and _';
        errors.push({ pointer: '/path/name', code: 'wrong_format', detail });
      }
      if (errors.length > 0) throw validationProblem(errors);
      const by = request.caller?.clientId ?? '';
      const written = await writeMapping(pool, request.params.name, request.body, by, clock.now());
      if (written === undefined) {
        const detail = `there are ${MAPPINGS_MAX} mappings already`;
        throw validationProblem([{ pointer: '/path/name', code: 'too_many', detail }]);
      }
      return mappingView(written);
    },
  );
  app.delete<ByName>(
    `${MAPPINGS_PATH}/:name`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a mapping of CSV files',
        params: MappingParams,
        response: { default: ProblemSchema },
      },
    },
    async (request, reply) => {
      if (await deleteMapping(pool, request.params.name)) return reply.status(204).send();
      throw new Problem(
        'statement_mapping_not_found',
        `There is no statement mapping called ${request.params.name}.`,
      );
    },
  );
}
