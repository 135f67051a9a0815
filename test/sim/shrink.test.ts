import { expect, test } from 'vitest'
import { createHistory } from './history.ts'
import { formatKeep, listSteps, type PartialHistory, selectSteps } from './parts.ts'
import type { Faults } from './play.ts'
import { shrink } from './shrink.ts'

/** Fails if life 7 buys in its first round and has a step in its fourth, whatever else the history contains. */
async function failing({ lives }: PartialHistory): Promise<Faults> {
  const [first, , , fourth] = lives.find(({ number }) => number === 7)?.steps ?? []
  return new Map(first?.act === 'buy' && fourth ? [[7, ['it failed']]] : [])
}

test('the same seed gives the same history, another seed another one', () => {
  expect(createHistory(3, 20)).toEqual(createHistory(3, 20))
  expect(createHistory(4, 20)).not.toEqual(createHistory(3, 20))
  expect(createHistory(3, 30).lives.slice(0, 20), 'more lives change none of the first ones').toEqual(
    createHistory(3, 20).lives,
  )
})

test('a failing history is reduced to the steps that make it fail', async () => {
  const whole = createHistory(1, 20)
  const { history, faults } = await shrink(whole, await failing(whole), failing)
  expect(listSteps(history)).toHaveLength(2)
  expect(formatKeep(history)).toBe('7:0.3')
  expect([...faults]).toEqual([[7, ['it failed']]])
})

test('the text for --keep selects the same history', async () => {
  const whole = createHistory(1, 20)
  const { history } = await shrink(whole, await failing(whole), failing)
  expect(selectSteps(whole, formatKeep(history))).toEqual(history)
  expect(selectSteps(whole, formatKeep(whole))).toEqual(whole)
  expect(() => selectSteps(whole, 'nonsense')).toThrow()
})

test('lives that fail only together are all kept', async () => {
  const together = async ({ lives }: PartialHistory): Promise<Faults> =>
    new Map(lives.length > 1 ? [[2, ['it failed']]] : [])
  const whole = createHistory(1, 5)
  const { history } = await shrink(whole, await together(whole), together)
  expect(history.lives).toHaveLength(5)
  expect(history.kills, 'it fails without kills').toEqual([])
})
