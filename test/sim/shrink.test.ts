import { expect, test } from 'vitest'
import { createHistory } from './history.ts'
import { kept, listSteps, type PartialHistory, toKeepText } from './parts.ts'
import type { Faults } from './play.ts'
import { shrink } from './shrink.ts'

/** Breaks if life 7 buys in its first round and something happens to it in its fourth, whatever else there is. */
async function breaking({ lives }: PartialHistory): Promise<Faults> {
  const [first, , , fourth] = lives.find(({ number }) => number === 7)?.steps ?? []
  return new Map(first?.act === 'buy' && fourth ? [[7, ['it broke']]] : [])
}

test('the same seed gives the same history, another seed another one', () => {
  expect(createHistory(3, 20)).toEqual(createHistory(3, 20))
  expect(createHistory(4, 20)).not.toEqual(createHistory(3, 20))
  expect(createHistory(3, 30).lives.slice(0, 20), 'more lives change none of the others').toEqual(
    createHistory(3, 20).lives,
  )
})

test('a history that breaks is left with what it breaks by', async () => {
  const whole = createHistory(1, 20)
  const { history, faults } = await shrink(whole, await breaking(whole), breaking)
  expect(listSteps(history)).toHaveLength(2)
  expect(toKeepText(history)).toBe('7:0.3')
  expect([...faults]).toEqual([[7, ['it broke']]])
})

test('what is printed names the same history', async () => {
  const whole = createHistory(1, 20)
  const { history } = await shrink(whole, await breaking(whole), breaking)
  expect(kept(whole, toKeepText(history))).toEqual(history)
  expect(kept(whole, toKeepText(whole))).toEqual(whole)
  expect(() => kept(whole, 'nonsense')).toThrow()
})

test('what breaks only together stays together', async () => {
  const together = async ({ lives }: PartialHistory): Promise<Faults> =>
    new Map(lives.length > 1 ? [[2, ['it broke']]] : [])
  const whole = createHistory(1, 5)
  const { history } = await shrink(whole, await together(whole), together)
  expect(history.lives).toHaveLength(5)
  expect(history.kills, 'it breaks without kills').toEqual([])
})
