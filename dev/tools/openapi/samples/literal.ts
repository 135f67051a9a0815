/** Of a line in a sample, in characters: the reference shows it beside the text without scrolling. */
const WIDTH = 80

/** A JSON value as TypeScript would be written by hand. `used`: how many characters stand before it in its line. */
export function literal(value: unknown, used = 0): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`)
  const line = `{ ${fields.join(', ')} }`
  return used + line.length <= WIDTH ? line : `{\n${fields.map((field) => `  ${field},\n`).join('')}}`
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
