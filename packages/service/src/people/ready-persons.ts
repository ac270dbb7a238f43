/**
 * Everybody whom it takes to rehearse: one who deals, and two who may approve whatever the other one, or the dealer, proposes. Only a
 * sandbox has them.
 */
export const READY_PERSONS = [
  { email: 'dealer@sandbox.example', name: 'Dana Dealer', roles: ['dealer'] },
  {
    email: 'operations@sandbox.example',
    name: 'Olu Operations',
    roles: ['operations', 'administrator'],
  },
  { email: 'approver@sandbox.example', name: 'Ada Approver', roles: ['administrator'] },
] as const;
