import { expect, test } from 'vitest'
import { OPERATIONS } from './operations.ts'
import { getContract, operationIds } from './request.ts'

test('every operation of the API has an entry, and every entry is of an operation', () => {
  const ids = new Set(Object.keys(OPERATIONS).map((name) => name.split(' ')[0]))
  expect([...ids].toSorted()).toEqual(operationIds.toSorted())
})

test('an operation that accepts a token refuses a bad one in at least one of its entries', () => {
  const refusing = Object.entries(OPERATIONS).filter(([, { replies }]) => replies.badToken === '401 invalid_token')
  const accepting = Object.keys(OPERATIONS).filter((name) => getContract(name).callers.includes('user'))
  const ids = (names: string[]) => [...new Set(names.map((name) => getContract(name).id))].toSorted()
  expect(ids(refusing.map(([name]) => name))).toEqual(ids(accepting))
})
