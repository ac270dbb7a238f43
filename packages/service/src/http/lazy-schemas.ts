import { createRequire } from 'node:module';
import type { FastifyServerOptions } from 'fastify';

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;
type Validate = ((data: unknown) => unknown) & { errors?: unknown };
type Serialize = (data: unknown) => string;
/** What Fastify tells a compiler: the schema, and the place that it stands in. */
interface Place {
  readonly schema: object;
}
/** Makes a compiler from the shared schemas and the options of the server. */
type Factory<Compiled> = (...shared: unknown[]) => (place: Place) => Compiled;

/** Compilers for Fastify which compile a schema when a request first needs it. */
interface LazySchemas {
  readonly compilers: Compilers;
  /**
   * Compiles those that are left, with a pause between two of them.
   * @throws when one cannot be compiled
   */
  compileRest(pause: () => Promise<void>): Promise<void>;
}

/** The compilers that Fastify would take by itself, from where it would take them. */
const fromFastify = createRequire(import.meta.resolve('fastify'));

function factory<Compiled>(name: string): Factory<Compiled> {
  const { default: select } = fromFastify(name) as { default: () => Factory<Compiled> };
  return select();
}

/**
 * The servers of a process share what was compiled: each schema once, whatever server asks first, as long as the shared
 * schemas and the options are the same.
 */
function once<Compiled>(name: string): Factory<Compiled> {
  const bySettings = new Map<string, (place: Place) => Compiled>();
  let make: Factory<Compiled> | undefined;
  return (...shared) => {
    const settings = JSON.stringify(shared);
    const compilerBefore = bySettings.get(settings);
    if (compilerBefore !== undefined) return compilerBefore;
    make ??= factory<Compiled>(name);
    const compile = make(...shared);
    const known = new WeakMap<object, Compiled>();
    const compiler = (place: Place): Compiled => {
      const before = known.get(place.schema);
      if (before !== undefined) return before;
      const compiled = compile(place);
      known.set(place.schema, compiled);
      return compiled;
    };
    bySettings.set(settings, compiler);
    return compiler;
  };
}

const validators = once<Validate>('@fastify/ajv-compiler');
const serializers = once<Serialize>('@fastify/fast-json-stringify-compiler');

/**
 * There are hundreds of schemas, and compiling them took longer than everything else of a start; a process answers few
 * routes in its first second.
 */
export function lazySchemas(): LazySchemas {
  const left: (() => unknown)[] = [];
  const late = <Compiled>(compile: () => Compiled): (() => Compiled) => {
    let compiled: Compiled | undefined;
    const get = () => {
      compiled ??= compile();
      return compiled;
    };
    left.push(get);
    return get;
  };

  const buildValidator: Factory<Validate> = (...shared) => {
    const compiler = late(() => validators(...shared));
    return (place) => {
      const compiled = late(() => compiler()(place));
      const validate: Validate = (data) => {
        const inner = compiled();
        const result = inner(data);
        // Fastify reads them here, in the same turn.
        validate.errors = inner.errors;
        return result;
      };
      return validate;
    };
  };

  const buildSerializer: Factory<Serialize> = (...shared) => {
    const compiler = late(() => serializers(...shared));
    return (place) => {
      const compiled = late(() => compiler()(place));
      return (data) => compiled()(data);
    };
  };

  return {
    compilers: { buildValidator, buildSerializer } as unknown as Compilers,
    async compileRest(pause) {
      // Those that hot paths need were the first to be registered.
      for (let compile = left.shift(); compile !== undefined; compile = left.shift()) {
        compile();
        await pause();
      }
    },
  };
}
