import * as z from 'zod'
import { didYouMean } from '../did-you-mean.ts'
import { pathMessage } from './checks.ts'

/** Overrides zod's messages where a more helpful one is possible. */
export const errorMap: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing'
  if (issue.code === 'unrecognized_keys') return unknownFields(issue)
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined) return unknownBlock(issue)
  return undefined
}

/** Formats an issue with its path. Each unknown field of an object becomes an error of its own. */
export function toMessages(issue: z.core.$ZodIssue, parentPath: PropertyKey[] = []): string[] {
  const path = [...parentPath, ...issue.path]
  if (issue.code === 'invalid_union') {
    const errors = meantErrors(issue)
    if (errors) return errors.flatMap((each) => toMessages(each, path))
  }
  if (issue.code !== 'unrecognized_keys') return [pathMessage(path, issue.message.replace(/^Invalid input: /, ''))]
  const messages = issue.message.split('\n')
  return issue.keys.map((key, index) => pathMessage([...path, key], messages[index] ?? ''))
}

/**
 * The errors of the alternative that was meant. A block is a known type or the owner's own, which is always valid: those of the first. An
 * offer without a `discount` is the owner's own: those of the second.
 */
function meantErrors({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  const [first, second] = errors
  const isOwnOffer = first?.some(({ path, message }) => path.join('.') === 'discount' && message === 'is missing')
  return isOwnOffer ? second : first
}

/** One line per field. */
function unknownFields({ keys, inst, input }: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  const fields = inst instanceof z.core.$ZodObject ? Object.keys(inst._zod.def.shape) : []
  const absent = fields.filter((field) => !Object.hasOwn(Object(input), field))
  return keys.map((key) => `unknown field${didYouMean(key, absent)}`).join('\n')
}

function unknownBlock({ input, options }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const type: unknown = Reflect.get(Object(input), 'type')
  if (type === undefined) return 'is missing'
  const types = (Array.isArray(options) ? options : []).map(String)
  const suggestion = didYouMean(String(type), types)
  return `unknown block type ${type}${suggestion || `: use ${types.join(', ')}, or your own type that begins with x-`}`
}
