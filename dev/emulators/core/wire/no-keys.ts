import type { KeyRules } from './idempotency.ts'

const never = () => new Error('the processor knows no idempotency keys')

/** The part of an API without idempotency keys: its rules are never asked. */
export const NO_KEYS = {
  keyHeader: null,
  keyRules: {
    ...{ keptSeconds: 0, longestKey: 0 },
    ...{ tooLong: never, otherPath: never, otherParameters: never, inUse: never },
  } satisfies KeyRules,
  fingerprint: (body: string) => body,
}
