export const SERVICE_ENVIRONMENT: { readonly NODE_OPTIONS: string; readonly MALLOC_ARENA_MAX: string };
export function withServiceEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
