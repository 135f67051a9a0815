import { styleText } from 'node:util'
import type { Change, FieldChange } from './changes.ts'

/** Values longer than this are cut: enough to recognise them. */
const MAX_VALUE = 60

/**
 * Changes as a person reads them, what takes something away apart. `isDone`: they were made. In colour on a terminal,
 * unless NO_COLOR is set.
 */
export function changesText(changes: Change[], { isDone }: { isDone: boolean }): string {
  if (changes.length === 0) return 'Nothing to change.'
  const losses = changes.filter(({ loss }) => loss !== null)
  const others = changes.filter(({ loss }) => loss === null)
  const lossHeading = styleText('red', isDone ? 'Taken away:' : 'To take away:')
  return [
    ...(others.length > 0 ? [isDone ? 'Changed:' : 'To change:', ...others.map(toLines)] : []),
    ...(losses.length > 0 ? [lossHeading, ...losses.map(toLines)] : []),
  ].join('\n')
}

/** How the two values of a field are marked. */
interface Marks {
  old: (text: string) => string
  new: (text: string) => string
}

const PLAIN: Marks = { old: (text) => text, new: (text) => text }
const COLOURS: Marks = { old: (text) => styleText('red', text), new: (text) => styleText('green', text) }

/** One change in a sentence: `paywall 1001: settings.brand_color #4f46e5 → #0f766e`. */
export const changeText = (change: Change) => `${change.what}: ${toParts(change, PLAIN).join(', ')}${countText(change)}`

/** The same in a line, or in one for each part where there are several. */
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

function countText({ loss }: Change): string {
  const { subscribers = null, sessions = null } = loss ?? {}
  if (subscribers !== null) return ` (${subscribers} ${subscribers === 1 ? 'subscriber' : 'subscribers'})`
  if (!sessions) return ''
  const [go, them] = sessions === 1 ? ['session that it minted goes', 'it'] : ['sessions that it minted go', 'them']
  return ` (${sessions} ${go} on: users sign-out --minted-by ends ${them})`
}

const fieldText = ({ path, old, new: next }: FieldChange, marks: Marks) =>
  `${path} ${marks.old(valueText(old))} → ${marks.new(valueText(next))}`

function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= MAX_VALUE) return text
  return Array.isArray(value) ? `${value.length} entries` : `${text.slice(0, MAX_VALUE)}…`
}
