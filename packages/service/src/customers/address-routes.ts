import type { FastifyInstance } from 'fastify';
import { nullable, ProblemSchema } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { PostalAddress } from './address-schema.ts';
import { setPostalAddress, showPostalAddress } from './postal-address.ts';
import { type CustomerRoutesOptions, operatorAccess, pathCustomer } from './route-helpers.ts';
import { request } from './schema.ts';

const Body = Type.Object(
  { postalAddress: nullable(PostalAddress) },
  { ...request, description: 'Null: the customer has no address here.' },
);
type Body = Static<typeof Body>;
const Answer = Type.Object({ postalAddress: nullable(PostalAddress) });
const PATH = '/v1/operator/customers/:customerId/postal-address';
const tags = ['Operator: accounts'];
const access = operatorAccess('operator:customers');

/** Where a customer is, as payment files tell banks. */
export function addressRoutes(app: FastifyInstance, { room }: CustomerRoutesOptions): void {
  app.get(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: "A customer's postal address",
        response: { 200: Answer, default: ProblemSchema },
      },
    },
    async (request) => ({ postalAddress: await showPostalAddress(room, pathCustomer(request)) }),
  );
  app.put(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: "Set a customer's postal address, which payment files carry as the creditor's",
        body: Body,
        response: { 200: Answer, default: ProblemSchema },
      },
    },
    async (request) => {
      const { postalAddress } = request.body as Body;
      return { postalAddress: await setPostalAddress(room, pathCustomer(request), postalAddress) };
    },
  );
}
