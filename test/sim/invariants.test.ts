import { expect, test } from 'vitest'
import { BUGS, withBug } from './bugs.ts'
import { INVARIANTS } from './check-invariants.ts'

test('every invariant has a bug of its own to detect, and every bug can be introduced into the current SQL', () => {
  expect(new Set(BUGS.map(({ invariant }) => invariant))).toEqual(new Set(INVARIANTS.map(({ name }) => name)))
  const changes = BUGS.map(({ file, search, replacement }) => [file, search, replacement].join(' '))
  expect(changes.filter((change, place) => changes.indexOf(change) !== place)).toEqual([])
  for (const bug of BUGS) expect(withBug(bug)).toContain(bug.replacement)
})
