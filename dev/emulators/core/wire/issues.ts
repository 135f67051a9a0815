import type * as z from 'zod'

/** The first issue of a schema error; unknown fields come before all others. */
export function firstIssue({ issues }: z.ZodError): z.core.$ZodIssue | undefined {
  return issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
}
