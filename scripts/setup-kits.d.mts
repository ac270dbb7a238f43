export const KITS: readonly string[];
export function kitOf(program?: string): string | undefined;
export function setUpKit(folder: string): Promise<number>;
export function setUpKits(): Promise<number>;
