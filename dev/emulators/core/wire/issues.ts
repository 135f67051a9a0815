import type * as z from 'zod'

/** The first mistake in what a schema refused; unknown fields come before all others. */
export function firstIssue({ issues }: z.ZodError): z.core.$ZodIssue | undefined {
  return issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
}
