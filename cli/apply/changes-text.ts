import { styleText } from 'node:util'
import type { Change, FieldChange } from './changes.ts'

/** Longer values are truncated. */
const MAX_VALUE = 60

/** Formats changes as text, the destructive ones last. In colour on a terminal, unless NO_COLOR is set. */
export function changesText(changes: Change[], { isDone }: { isDone: boolean }): string {
  if (changes.length === 0) return 'Nothing to change.'
  const destructive = changes.filter(({ impact }) => impact !== null)
  const others = changes.filter(({ impact }) => impact === null)
  const destructiveHeading = styleText('red', isDone ? 'Destructive changes made:' : 'Destructive changes:')
  return [
    ...(others.length > 0 ? [isDone ? 'Changes made:' : 'Changes:', ...others.map(toLines)] : []),
    ...(destructive.length > 0 ? [destructiveHeading, ...destructive.map(toLines)] : []),
  ].join('\n')
}

export const warningText = (warning: string) => `${styleText('yellow', 'Warning:')} ${warning}`

/** Styles the old and the new value of a field. */
interface Marks {
  old: (text: string) => string
  new: (text: string) => string
}

const PLAIN: Marks = { old: (text) => text, new: (text) => text }
const COLOURS: Marks = { old: (text) => styleText('red', text), new: (text) => styleText('green', text) }

/** Formats a change on one line: `paywall 1001: settings.brand_color #4f46e5 → #0f766e`. */
export const changeText = (change: Change) => `${change.what}: ${toParts(change, PLAIN).join(', ')}${countText(change)}`

/** Formats a change, with a line for each part if there are several. */
function toLines(change: Change): string {
  const [first, ...more] = toParts(change, COLOURS)
  if (more.length === 0 || change.how !== null) {
    return [`  ${change.what}: ${first}${countText(change)}`, ...more.map((part) => `    ${part}`)].join('\n')
  }
  return [`  ${change.what}:${countText(change)}`, ...[first, ...more].map((part) => `    ${part}`)].join('\n')
}

const toParts = ({ how, fields }: Change, marks: Marks) => [
  ...(how === null ? [] : [how]),
  ...fields.map((field) => fieldText(field, marks)),
]

function countText({ impact }: Change): string {
  const { subscribers = null, sessions = null } = impact ?? {}
  if (subscribers !== null) return ` (${subscribers} ${subscribers === 1 ? 'subscriber' : 'subscribers'})`
  if (!sessions) return ''
  const [stays, them] =
    sessions === 1 ? ['session that it minted stays', 'it'] : ['sessions that it minted stay', 'them']
  return ` (${sessions} ${stays} valid: end ${them} with users sign-out --minted-by)`
}

const fieldText = ({ path, old, new: next }: FieldChange, marks: Marks) =>
  `${path} ${marks.old(valueText(old))} → ${marks.new(valueText(next))}`

function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= MAX_VALUE) return text
  return Array.isArray(value) ? `${value.length} entries` : `${text.slice(0, MAX_VALUE)}…`
}
