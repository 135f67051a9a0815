import { expect, test } from 'vitest'
import { BUGS, withBug } from './bugs.ts'
import { INVARIANTS } from './check-invariants.ts'

test('every invariant has a bug to detect, and every bug can be introduced into the current SQL', () => {
  expect(new Set(BUGS.map(({ invariant }) => invariant))).toEqual(new Set(INVARIANTS.map(({ name }) => name)))
  for (const bug of BUGS) expect(withBug(bug)).toContain(bug.instead)
})
