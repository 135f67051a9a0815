import * as z from 'zod'

/** Where `env:NAME` is looked up, such as `process.env`. */
export type Environment = Record<string, string | undefined>

const REFERENCE = /^env:(.*)$/s

const DESCRIPTION = 'env:NAME takes it from the environment. The text itself is accepted on test paywalls only'

/**
 * A secret as the file has it: the secret itself, or `env:NAME`. `problem` says what is wrong with the secret, or null.
 */
export function secretSchema(environment: Environment, problem: (secret: string) => string | null) {
  return z
    .string()
    .superRefine((text, context) => {
      const name = REFERENCE.exec(text)?.[1]
      const secret = revealSecret(text, environment)
      if (!secret) return context.addIssue(name ? `the environment has no ${name}` : 'is empty')
      const wrong = problem(secret)
      if (wrong) context.addIssue(name ? `${wrong} (from ${name} in the environment)` : wrong)
    })
    .describe(DESCRIPTION)
}

/** True if the file itself holds the secret, for every reader of the file to see. */
export function isLiteral(text: string): boolean {
  return !REFERENCE.test(text)
}

/** The secret that `text` stands for; undefined if the environment does not have it. */
export function revealSecret(text: string, environment: Environment): string | undefined {
  const name = REFERENCE.exec(text)?.[1]
  if (name === undefined) return text
  return Object.hasOwn(environment, name) ? environment[name] : undefined
}
