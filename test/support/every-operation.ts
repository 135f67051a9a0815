import { expect, test } from 'vitest'
import { operations } from '../../dev/tools/openapi/operations.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'

/**
 * Declares one failing test, by name, for each operation of the contracts that a test file has no case for, and for each
 * case whose operation does not exist. A case is named by the operation's id, optionally followed by a space and what is special
 * about it: `readUser`, `readUser by token`.
 *
 * `of` selects the operations that the file covers; `elsewhere` lists the ids of those that another file has cases for.
 */
export function testEveryOperation(
  cases: string[],
  {
    of = () => true,
    elsewhere = [],
  }: { of?: (operation: ApiOperation) => boolean; elsewhere?: readonly string[] } = {},
): void {
  test('every operation of the contracts has a case', () => {
    const covered = new Set([...elsewhere, ...cases.map((name) => name.split(' ')[0]!)])
    const existing = operations.filter(of).map(({ id }) => id)
    expect([...covered].toSorted()).toEqual(existing.toSorted())
  })
}

/** Whether an owner may call it; for `of`. */
export const takesOwnerKey = ({ access }: ApiOperation) => access.includes('owner')

/** Whether a user may call it; for `of`. */
export const takesUserToken = ({ access }: ApiOperation) => access.includes('user')

/** The operation with an id. */
export function getOperation(id: string): ApiOperation {
  const found = operations.find((operation) => operation.id === id)
  if (!found) throw new Error(`no contract has an operation ${id}`)
  return found
}

/** Values for the parameters of a path, besides the paywall's id. */
const PARAMETERS: Record<string, string> = {
  checkoutId: '00000000-0000-4000-8000-000000000000',
  outcome: 'success',
  acquiring: 'stripe',
}

/** The path of an operation on a paywall. */
export function getPath({ path }: Pick<ApiOperation, 'path'>, paywallId: string): string {
  const values: Record<string, string> = { ...PARAMETERS, id: paywallId }
  return path.replace(/:(\w+)(?:\{[^}]*\})?/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`no value stands for the parameter ${name} of ${path}`)
    return value
  })
}
