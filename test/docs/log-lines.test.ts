import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sharedErrors } from '../../lib/http/shared-errors.ts'

// The table of log lines in docs/operations.md, compared with the calls of `log` in the Workers' code.

const root = join(import.meta.dirname, '../..')
const text = (file: string) => readFileSync(join(root, file), 'utf8')

interface LogLine {
  level: string
  message: string
}

/** lib/http/base-app.ts logs every response of 500 and above by its error code, and 500 as `unexpected failure`. */
const failures: LogLine[] = Object.values(sharedErrors).flatMap(([status, code]) => {
  if (status < 500) return []
  return [{ level: status === 502 ? 'warn' : 'error', message: status === 500 ? 'unexpected failure' : code }]
})

/** A message that is computed, and the definition of `log` itself. */
const NOT_LITERAL = ['lib/http/base-app.ts: message', 'lib/log/log.ts: message']

const inCode: LogLine[] = [...failures]
const unresolved: string[] = []
for (const folder of ['lib', 'functions']) {
  for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (file.endsWith('.ts')) collect(join(folder, file))
  }
}

/** Adds the lines that a file logs. A message is a string literal, or a constant of the same file. */
function collect(file: string): void {
  const source = text(file)
  for (const [, level = '', argument = ''] of source.matchAll(/\blog\(\s*([^,(]+),\s*('[^']+'|\w+)/g)) {
    const constant = new RegExp(`const ${argument} = ('[^']+')`).exec(source)?.[1]
    const message = argument.startsWith("'") ? argument : constant
    if (message === undefined) unresolved.push(`${file}: ${argument}`)
    else inCode.push({ level: level.replaceAll("'", ''), message: message.slice(1, -1) })
  }
}

/** The rows of the table. The first cell has one or more messages, each in backticks, the second their level. */
const [, table = ''] = /^\| line \| level \| .+\n\| --- \|.*\n((?:\|.*\n)+)/m.exec(text('docs/operations.md')) ?? []
const inDocs = [...table.matchAll(/^\| (.+?) \| (\w+) \|/gm)].flatMap(([, messages = '', level = '']) =>
  [...messages.matchAll(/`([^`]+)`/g)].map(([, message = '']) => ({ level, message })),
)

const isSame = (one: LogLine) => (other: LogLine) => one.level === other.level && one.message === other.message

test('every call of log has a level and a literal message', () => {
  expect(inCode.length).toBeGreaterThan(40)
  expect(unresolved).toEqual(NOT_LITERAL)
  expect(inCode.filter(({ level }) => !['info', 'warn', 'error'].includes(level))).toEqual([])
})

test('the table lists only lines that the code logs', () => {
  expect(inDocs.filter((line) => !inCode.some(isSame(line)))).toEqual([])
})

test('the table lists every warning and every error that the code logs, once', () => {
  const alarming = inCode.filter(({ level }) => level !== 'info')
  expect(alarming.filter((line) => !inDocs.some(isSame(line)))).toEqual([])
  const messages = inDocs.map(({ message }) => message)
  expect(messages.filter((message, index) => messages.indexOf(message) !== index)).toEqual([])
})
