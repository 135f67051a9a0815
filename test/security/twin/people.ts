/** The e-mail addresses of an owner's users. */
export const [ANN, BOB, CARL, DORA, EVE] = [
  'ann@example.com',
  'bob@example.com',
  'carl@example.com',
  'dora@example.com',
  'eve@buyers.dev',
]
