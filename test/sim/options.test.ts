import { expect, test } from 'vitest'
import { readOptions } from './options.ts'

test('so many lives are played as have paywall ids of their own', () => {
  expect(readOptions(['--lives', '1000'])).toMatchObject({ lives: 1000 })
  expect(() => readOptions(['--lives', '1001'])).toThrow(
    expect.objectContaining({ messages: ['--lives must be at most 1000, not 1001: play more seeds with --seeds'] }),
  )
})
