import type { Options } from './options.ts'
import { type PartialHistory, type PartialLife, textOf } from './parts.ts'
import type { Broken } from './shrink.ts'

/** A history that breaks the model, as a person reads it, and how to play it again: by the options it was played with. */
export function report(
  { history, faults }: Broken,
  { lives, processor }: Pick<Options, 'lives' | 'processor'>,
): string {
  const at = processor === undefined ? '' : ` --processor ${processor}`
  const isAlone = history.lives.length === 1
  const shown = isAlone ? history.lives : history.lives.filter(({ number }) => faults.has(number))
  return [
    ...[...faults].flatMap(([life, found]) =>
      found.map((fault) => `  ${life < 0 ? 'the world' : `life ${life}`}: ${fault}`),
    ),
    isAlone ? '  the shortest history that breaks so:' : '  no life broke alone. Among all others broke:',
    ...shown.flatMap(linesOf),
    ...history.kills.map(({ round, what, after }) => `    round ${round}, after ${after} calls: a kill of ${what}`),
    '  play it again with:',
    `    npm run sim -- --seed ${history.seed} --lives ${lives}${at}${keepOf(history, lives)}`,
  ].join('\n')
}

const linesOf = ({ number, processor, unheard, steps }: PartialLife) => [
  `    life ${number}, at ${processor}${unheard ? ', of which no webhook arrives' : ''}`,
  ...steps.flatMap((step, round) => (step ? [`      round ${round}: ${JSON.stringify(step)}`] : [])),
]

const keepOf = (history: PartialHistory, lives: number) =>
  history.lives.length === lives && history.kills.length > 0 ? '' : ` --keep '${textOf(history)}'`
