import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import {
  BATCH_CHANNEL,
  type Batch,
  type BegunRequest,
  REQUEST_CHANNEL,
  STATEMENT_CHANNEL,
  type Statement,
  SWEEP_CHANNEL,
  type SweepRun,
  type Traced,
  WAITING_CHANNEL,
  type WaitingItem,
} from './channels.ts';

export interface TracesOptions {
  /** Where traces go by OTLP over HTTP, in JSON: the address with its path, `https://collector.example.com/v1/traces`. */
  readonly url: string;
  /** Sent along, such as an API key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the traces, from 0 to 1; a caller cannot have more of its own recorded. */
  readonly share: number;
  /** `service.name` and its like. */
  readonly resource: Readonly<Record<string, string>>;
  /** Told when traces cannot be sent. */
  readonly onTrouble: (message: string) => void;
}

/** Spans that wait for the exporter; more are dropped, and the service goes on. */
const WAITING_SPANS_MAX = 8_192;
const TEXT_LENGTH_MAX = 4_096;
const STOP_LIMIT_MS = 3_000;

/** Which request, batch or sweep the work at hand belongs to. */
const contexts = new AsyncLocalStorage<Context>();
const propagator = new W3CTraceContextPropagator();

/**
 * Records what the service tells on its channels as spans, from a request to its statements, and sends them off in the background.
 * @returns sends what is left, and ends
 */
export function startTracing(options: TracesOptions): () => Promise<void> {
  const quietly = () => undefined;
  const notify = (message: string) => options.onTrouble(message);
  diag.setLogger(
    { error: notify, warn: notify, info: quietly, debug: quietly, verbose: quietly },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const byShare = new TraceIdRatioBasedSampler(options.share);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...options.resource }),
    // Whether a caller records its trace says nothing about ours: it can neither fill our store nor hide from it.
    sampler: new ParentBasedSampler({
      root: byShare,
      remoteParentSampled: byShare,
      remoteParentNotSampled: byShare,
    }),
    spanLimits: { attributeValueLengthLimit: TEXT_LENGTH_MAX },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: options.url, headers: { ...options.headers } }),
        maxQueueSize: WAITING_SPANS_MAX,
      }),
    ],
  });
  const tracer = provider.getTracer('firmquote');
  traceRequests(tracer);
  traceBatches(tracer);
  traceStatements(tracer);
  traceSweeps(tracer);
  return async () => {
    const late = new Promise<void>((resolve) => setTimeout(resolve, STOP_LIMIT_MS).unref());
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
  };
}

/** Everything that comes of a request is done inside of its span. */
function traceRequests(tracer: Tracer): void {
  REQUEST_CHANNEL.bindStore(contexts, (message) => {
    const { request, response } = message as BegunRequest;
    const caller = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    const route = request.routeOptions.url;
    const attributes: Attributes = {
      'http.request.method': request.method,
      'firmquote.request_id': request.id,
      ...(route === undefined ? {} : { 'http.route': route }),
    };
    const name = route === undefined ? request.method : `${request.method} ${route}`;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller);
    nameTrace(request.headers, span);
    response.once('close', () => {
      span.setAttribute('http.response.status_code', response.statusCode);
      if (request.caller !== undefined) span.setAttribute('firmquote.client_id', request.caller.clientId);
      if (request.problemCode !== undefined) span.setAttribute('error.type', request.problemCode);
      if (response.statusCode >= 500 || !response.writableFinished) {
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    });
    return trace.setSpan(caller, span);
  });
}

/** The log reads the trace of a request from its headers: it is to name the trace also where the caller has none. */
function nameTrace(headers: IncomingHttpHeaders, span: Span): void {
  const { traceId, spanId } = span.spanContext();
  headers.traceparent ??= `00-${traceId}-${spanId}-00`;
}

/**
 * A batch belongs to many requests. Its span is part of the trace of the first, with links to those of all others; each request
 * has a span of the time that it waited and was carried, with a link to the batch: to each, where it was carried again.
 */
function traceBatches(tracer: Tracer): void {
  const waits = new WeakMap<object, Span>();
  WAITING_CHANNEL.start.subscribe((message) => {
    const { name, item } = message as WaitingItem;
    const context = contexts.getStore();
    if (context === undefined || typeof item !== 'object' || item === null) return;
    waits.set(item, tracer.startSpan(`in batch ${name}`, {}, context));
  });
  WAITING_CHANNEL.asyncEnd.subscribe((message) => {
    const waiting = message as WaitingItem;
    endSpan(waits.get(waiting.item as object), waiting);
  });
  const spansOf = ({ items }: Batch) => items.flatMap((item) => waits.get(item as object) ?? []);
  const batches = new WeakMap<Batch, Span>();
  BATCH_CHANNEL.start.bindStore(contexts, (message) => {
    const batch = message as Batch;
    const [first, ...others] = spansOf(batch);
    // Of ids no span can be kept; their batch belongs to the request that was the first to ask.
    const asked = contexts.getStore() ?? ROOT_CONTEXT;
    const parent = first === undefined ? asked : trace.setSpan(ROOT_CONTEXT, first);
    const attributes = { 'firmquote.batch_items': batch.items.length };
    const links = others.map((span) => ({ context: span.spanContext() }));
    const span = tracer.startSpan(`batch ${batch.name}`, { attributes, links }, parent);
    for (const other of others) other.addLink({ context: span.spanContext() });
    batches.set(batch, span);
    return trace.setSpan(parent, span);
  });
  BATCH_CHANNEL.asyncEnd.subscribe((message) => {
    const batch = message as Batch;
    endSpan(batches.get(batch), batch);
  });
}

/** Statements that belong to nothing (a connection's own) have no span. */
function traceStatements(tracer: Tracer): void {
  const statements = new WeakMap<Statement, Span>();
  STATEMENT_CHANNEL.start.subscribe((message) => {
    const statement = message as Statement;
    const context = contexts.getStore();
    if (context === undefined) return;
    const operation = /\w+/.exec(statement.text)?.[0].toLowerCase() ?? 'statement';
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': statement.text };
    const options = { kind: SpanKind.CLIENT, attributes };
    statements.set(statement, tracer.startSpan(statement.name ?? operation, options, context));
  });
  STATEMENT_CHANNEL.asyncEnd.subscribe((message) =>
    endSpan(statements.get(message as Statement), message as Statement),
  );
}

function traceSweeps(tracer: Tracer): void {
  const sweeps = new WeakMap<SweepRun, Span>();
  SWEEP_CHANNEL.start.bindStore(contexts, (message) => {
    const run = message as SweepRun;
    const span = tracer.startSpan(`sweep ${run.name}`, { root: true });
    sweeps.set(run, span);
    return trace.setSpan(ROOT_CONTEXT, span);
  });
  SWEEP_CHANNEL.asyncEnd.subscribe((message) =>
    endSpan(sweeps.get(message as SweepRun), message as SweepRun),
  );
}

function endSpan(span: Span | undefined, outcome: Traced): void {
  if (span === undefined) return;
  if (outcome.error !== undefined) {
    const { name, code } = outcome.error as { readonly name?: string; readonly code?: string };
    // The message may quote what a statement was given.
    span.setAttribute('error.type', code ?? name ?? 'error').setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
