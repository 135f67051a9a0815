import { expect, test } from 'vitest'
import { BUGS, withBug } from './bugs.ts'
import { LAWS } from './judge.ts'

test('each law has a bug that it sees, and each bug can be made in the tree as it is', () => {
  expect(new Set(BUGS.map(({ law }) => law))).toEqual(new Set(LAWS.map(({ name }) => name)))
  for (const bug of BUGS) expect(withBug(bug)).toContain(bug.instead)
})
