import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Cli } from '../cli.ts';
import { VERSION } from '../version.ts';
import { refusalOf } from './refusal.ts';
import { SANDBOX_TOOLS, TOOLS, type Tool } from './tools.ts';

const READS =
  'You can look at rates, quotes and transactions. You cannot trade: this server was started without --allow-trading.';
const TRADES = [
  'You can trade for the person who started this server. First request_quote, then show both amounts and how long the quote is valid, and',
  'execute_quote only after that person has agreed to exactly these amounts. One agreement is one execution.',
].join(' ');
const ALWAYS = [
  'Amounts and rates are decimal texts: repeat them digit for digit, and never compute with floating-point numbers.',
  'A refusal says in nextStep what to do. With the code outcome_unknown nobody knows yet whether a trade was made: follow nextStep,',
  'and request no other quote for the same purpose before it is known.',
].join(' ');

/** Serves one assistant until it closes stdin, or Ctrl-C. What is being done is finished first. */
export async function serveAssistant(cli: Cli, mayTrade: boolean): Promise<void> {
  const service = await cli.service('customer');
  cli.requireCredentials(service.settings);
  if (mayTrade) await service.confirmWrite('Letting an assistant trade');
  const isSandbox = (await service.environment()) === 'sandbox';
  const tools = [...TOOLS, ...(isSandbox ? SANDBOX_TOOLS : [])].filter(({ isWrite }) => mayTrade || !isWrite);
  const underWay = new Set<Promise<unknown>>();

  const makeServer = () => {
    const server = new McpServer(
      { name: 'firmquote', title: 'Firmquote', version: VERSION },
      { instructions: `${mayTrade ? TRADES : READS} ${ALWAYS}` },
    );
    for (const tool of tools) register(server, cli, tool, underWay);
    return server;
  };
  const ended = new Promise<void>((done) => {
    cli.io.stdin.once('end', done).once('close', done);
    cli.io.onInterrupt(done);
  });
  const handle = serveStdio(makeServer, {
    transport: new StdioServerTransport(cli.io.stdin, cli.io.stdout),
    onerror: ({ message }) => void cli.note(message),
  });
  await cli.note(`Serving an assistant, ${mayTrade ? 'which may trade' : 'which may look'}; Ctrl-C ends it.`);
  await ended;
  // An execution that was sent is waited for: its end may still be told, and is known to the service in any case.
  await Promise.allSettled(underWay);
  await handle.close();
}

function register(server: McpServer, cli: Cli, tool: Tool, underWay: Set<Promise<unknown>>): void {
  const { name, title, description, input, isWrite } = tool;
  const annotations = { readOnlyHint: !isWrite, destructiveHint: isWrite, idempotentHint: !isWrite };
  server.registerTool(name, { title, description, inputSchema: input, annotations }, async (given) => {
    const work = tool.run(cli, given).then(
      (data) => ({ content: [{ type: 'text' as const, text: JSON.stringify(data) }] }),
      (error) => ({
        content: [{ type: 'text' as const, text: JSON.stringify(refusalOf(error)) }],
        isError: true,
      }),
    );
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  });
}
