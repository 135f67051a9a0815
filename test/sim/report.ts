import { type PartialHistory, textOf } from './parts.ts'
import type { Faults } from './play.ts'

/** A history that breaks the model, as a person reads it, and how to play it again. */
export function report({ history, faults }: { history: PartialHistory; faults: Faults }, lives: number): string {
  const { seed, kills } = history
  return [
    ...[...faults].flatMap(([life, found]) =>
      found.map((fault) => `  ${life < 0 ? 'the world' : `life ${life}`}: ${fault}`),
    ),
    history.lives.length === 1
      ? '  the shortest history that breaks so:'
      : '  it did not break with one life alone; these lives broke:',
    ...history.lives
      .filter(({ number }) => faults.has(number) || history.lives.length === 1)
      .flatMap(({ number, processor, unheard, steps }) => [
        `    life ${number}, at ${processor}${unheard ? ', of which no webhook arrives' : ''}`,
        ...steps.flatMap((step, round) => (step ? [`      round ${round}: ${JSON.stringify(step)}`] : [])),
      ]),
    ...kills.map(({ round, what, after }) => `    in round ${round}, after ${after} calls: a kill of ${what}`),
    '  play it again with:',
    `    npm run sim -- --seed ${seed} --lives ${lives} --keep '${textOf(history)}'`,
  ].join('\n')
}
