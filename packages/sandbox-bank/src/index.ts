export * from './accounts.ts';
export * from './days.ts';
export * from './messages.ts';
export * from './movement.ts';
export * from './orders.ts';
