/** Everybody whom it takes to rehearse: two who work, and one who approves. Only a sandbox has them. */
export const READY_PERSONS = [
  { email: 'dealer@sandbox.example', name: 'Dana Dealer', roles: ['dealer'] },
  { email: 'operations@sandbox.example', name: 'Olu Operations', roles: ['operations'] },
  { email: 'approver@sandbox.example', name: 'Ada Approver', roles: ['administrator'] },
] as const;
