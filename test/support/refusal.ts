import { expect } from 'vitest'

/** The body of a refusal with this `error`, some `message`, and no other fields than those given. */
export const refusal = (error: unknown, fields: object = {}) => ({
  error,
  message: expect.stringMatching(/^[A-Z`][^\n]{9,}$/),
  ...fields,
})
