export const SERVICE_ENVIRONMENT: Readonly<
  Record<'NODE_OPTIONS' | 'MALLOC_ARENA_MAX' | 'MALLOC_MMAP_THRESHOLD_' | 'MALLOC_TRIM_THRESHOLD_', string>
>;
export function withServiceEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
