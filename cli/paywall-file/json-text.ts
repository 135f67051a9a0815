/** Parses JSON text; what is wrong with it otherwise, with its line and column. */
export function parseJsonText(text: string): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { error: `not valid JSON: ${withPosition(error.message, text)}` }
  }
}

/** V8 says where for most errors, but neither for an unexpected token nor at the end. */
function withPosition(message: string, text: string): string {
  if (/at position \d+/.test(message)) return message.replace(' in JSON', '')
  const token = /^Unexpected token '.*?'/su.exec(message)?.[0]
  const before = text.slice(0, token ? beforeUnexpectedToken(text) : text.length)
  const line = before.split('\n').length
  return `${token ?? 'it ends too early'} (line ${line} column ${before.length - before.lastIndexOf('\n')})`
}

/** The token's place is the end of the longest prefix that does not have it. */
function beforeUnexpectedToken(text: string): number {
  let [without, including] = [0, text.length]
  while (including - without > 1) {
    const middle = (without + including) >> 1
    if (hasUnexpectedToken(text.slice(0, middle))) including = middle
    else without = middle
  }
  return without
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return error instanceof SyntaxError && error.message.startsWith('Unexpected token')
  }
}
