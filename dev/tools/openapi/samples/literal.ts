/** The longest line of a sample, in characters, that the reference shows without scrolling. */
const WIDTH = 80

/** Formats a JSON value as hand-written TypeScript. `used`: the number of characters before it in its line. */
export function literal(value: unknown, used = 0): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`)
  const line = `{ ${fields.join(', ')} }`
  return used + line.length <= WIDTH ? line : `{\n${fields.map((field) => `  ${field},\n`).join('')}}`
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
