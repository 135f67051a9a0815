import * as z from 'zod'

/** Where `env:NAME` is looked up, such as `process.env`. */
export type Environment = Record<string, string | undefined>

const REFERENCE = /^env:(.*)$/s

const DESCRIPTION = 'env:NAME reads it from the environment. A literal secret is accepted on test paywalls only'

/**
 * A secret in the file: the secret itself, or `env:NAME`. `problem` validates the secret and returns an error or null.
 */
export function secretSchema(environment: Environment, problem: (secret: string) => string | null) {
  return z
    .string()
    .superRefine((text, context) => {
      const name = REFERENCE.exec(text)?.[1]
      const secret = revealSecret(text, environment)
      if (!secret) return context.addIssue(name ? `${name} is not set in the environment` : 'is empty')
      const wrong = problem(secret)
      if (wrong) context.addIssue(name ? `${wrong} (from ${name} in the environment)` : wrong)
    })
    .describe(DESCRIPTION)
}

/** Whether the file itself contains the secret, visible to every reader. */
export function isLiteral(text: string): boolean {
  return !REFERENCE.test(text)
}

/** Resolves `env:NAME`, or returns a literal secret; undefined if the variable is not set. */
export function revealSecret(text: string, environment: Environment): string | undefined {
  const name = REFERENCE.exec(text)?.[1]
  if (name === undefined) return text
  return Object.hasOwn(environment, name) ? environment[name] : undefined
}
