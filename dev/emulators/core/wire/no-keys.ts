import type { KeyRules } from './idempotency.ts'

/** The part of an API without idempotency keys; its rules are never used. */
export const NO_KEYS = {
  keyHeader: null,
  keyRules: {
    keptSeconds: 0,
    longestKey: 0,
    refuse: () => new Error('the processor has no idempotency keys'),
  } satisfies KeyRules,
  fingerprint: (body: string) => body,
}
