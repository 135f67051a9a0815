import { expect, test } from 'vitest'
import { historyOf } from './history.ts'
import { kept, type PartialHistory, stepsOf, textOf } from './parts.ts'
import type { Faults } from './play.ts'
import { shrink } from './shrink.ts'

/** Breaks if life 7 buys in its first round and something happens to it in its fourth, whatever else there is. */
async function breaking({ lives }: PartialHistory): Promise<Faults> {
  const [first, , , fourth] = lives.find(({ number }) => number === 7)?.steps ?? []
  return new Map(first?.act === 'buy' && fourth ? [[7, ['it broke']]] : [])
}

test('the same seed gives the same history, another seed another one', () => {
  expect(historyOf(3, 20)).toEqual(historyOf(3, 20))
  expect(historyOf(4, 20)).not.toEqual(historyOf(3, 20))
  expect(historyOf(3, 30).lives.slice(0, 20), 'more lives change none of the others').toEqual(historyOf(3, 20).lives)
})

test('a history that breaks is left with what it breaks by', async () => {
  const whole = historyOf(1, 20)
  const { history, faults } = await shrink(whole, await breaking(whole), breaking)
  expect(stepsOf(history)).toHaveLength(2)
  expect(textOf(history)).toBe('7:0.3')
  expect([...faults]).toEqual([[7, ['it broke']]])
})

test('what is printed names the same history', async () => {
  const whole = historyOf(1, 20)
  const { history } = await shrink(whole, await breaking(whole), breaking)
  expect(kept(whole, textOf(history))).toEqual(history)
  expect(kept(whole, textOf(whole))).toEqual(whole)
  expect(() => kept(whole, 'nonsense')).toThrow()
})

test('what breaks only together stays together', async () => {
  const together = async ({ lives }: PartialHistory): Promise<Faults> =>
    new Map(lives.length > 1 ? [[2, ['it broke']]] : [])
  const whole = historyOf(1, 5)
  const { history } = await shrink(whole, await together(whole), together)
  expect(history.lives).toHaveLength(5)
  expect(history.kills, 'it breaks without kills').toEqual([])
})
