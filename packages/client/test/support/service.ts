import { type ClientOptions, Firmquote } from '@firmquote/client';
import { FirmquoteOperator } from '@firmquote/client/operator';
import { FirmquoteSandbox } from '@firmquote/client/sandbox';
import { startTestService, type TestService } from '../../../service/test/support/service.ts';

/** A real service with clients for it. */
export interface Desk {
  readonly service: TestService;
  readonly firmquote: Firmquote;
  readonly operator: FirmquoteOperator;
  readonly sandbox: FirmquoteSandbox;
  /** Options of the sandbox's customer, for another client. */
  options(more?: ClientOptions): ClientOptions;
}

/** @param environment settings of the service */
export async function startDesk(environment: Readonly<Record<string, string>> = {}): Promise<Desk> {
  const service = await startTestService(environment);
  const { customer, operator, audience } = service.sandbox;
  const { baseUrl } = service;
  const options = (more: ClientOptions = {}): ClientOptions => ({
    ...{ baseUrl, audience, clientId: customer.clientId, clientSecret: customer.clientSecret },
    ...more,
  });
  const operating = new FirmquoteOperator({
    ...{ baseUrl, audience, clientId: operator.clientId, clientSecret: operator.clientSecret },
  });
  return {
    service,
    firmquote: new Firmquote(options()),
    operator: operating,
    sandbox: new FirmquoteSandbox(operating),
    options,
  };
}
