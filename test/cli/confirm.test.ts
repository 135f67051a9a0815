import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { confirm } from '../../cli/confirm.ts'

test.each([
  ['yes\n', true],
  ['Y\n', true],
  [' yes \n', true],
  ['no\n', false],
  ['\n', false],
  ['yesterday\n', false],
  ['', false],
])('the input %j returns %s', async (typed, confirmed) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  input.end(typed)
  expect(await confirm('Go on?', { input, output })).toBe(confirmed)
  output.end()
  expect(await text(output)).toBe('Go on? (yes/no) ')
})
