import * as z from 'zod'
import { didYouMean } from '../did-you-mean.ts'
import { pathMessage } from './checks.ts'

/** zod's own messages, except where the file's author can be told more. */
export const wording: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing'
  if (issue.code === 'unrecognized_keys') return unknownFields(issue)
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined) return unknownBlock(issue)
  return undefined
}

/** An error as readers of the file see it, with its path. Several unknown fields of one object are several errors. */
export function toMessages(issue: z.core.$ZodIssue, above: PropertyKey[] = []): string[] {
  const path = [...above, ...issue.path]
  // A block is one that we draw, or the owner's own: what is wrong is said of the first, for of the second nothing can be wrong.
  if (issue.code === 'invalid_union' && issue.errors[0]) {
    return issue.errors[0].flatMap((each) => toMessages(each, path))
  }
  if (issue.code !== 'unrecognized_keys') return [pathMessage(path, issue.message.replace(/^Invalid input: /, ''))]
  const messages = issue.message.split('\n')
  return issue.keys.map((key, index) => pathMessage([...path, key], messages[index] ?? ''))
}

/** A line for each. */
function unknownFields({ keys, inst, input }: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  const fields = inst instanceof z.core.$ZodObject ? Object.keys(inst._zod.def.shape) : []
  const absent = fields.filter((field) => !Object.hasOwn(Object(input), field))
  return keys.map((key) => `there is no such field${didYouMean(key, absent)}`).join('\n')
}

function unknownBlock({ input, options }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const type: unknown = Reflect.get(Object(input), 'type')
  if (type === undefined) return 'is missing'
  const types = (Array.isArray(options) ? options : []).map(String)
  const suggestion = didYouMean(String(type), types)
  return `there is no block ${type}${suggestion || `: there are ${types.join(', ')}, and your own begin with x-`}`
}
