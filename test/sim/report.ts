import type { Options } from './options.ts'
import { type PartialHistory, type PartialLife, toKeepText } from './parts.ts'
import type { Faults } from './play.ts'
import type { Broken } from './shrink.ts'

type Played = Pick<Options, 'lives' | 'processor'>

/** What is wrong, by life: it is printed at once, since looking for the shortest history that breaks so may take long. */
export const getLines = (faults: Faults): string[] =>
  [...faults].flatMap(([life, found]) => found.map((fault) => `  ${life < 0 ? 'the world' : `life ${life}`}: ${fault}`))

/** A history that breaks the model, as a person reads it, and how to play it again: by the options it was played with. */
export function report({ history, faults }: Broken, played: Played): string {
  const isAlone = history.lives.length === 1
  const shown = isAlone ? history.lives : history.lives.filter(({ number }) => faults.has(number))
  return [
    isAlone ? '  the shortest history that breaks so:' : '  no life broke alone. Among all others broke:',
    ...shown.flatMap(linesOfLife),
    ...history.kills.map(({ round, what, after }) => `    round ${round}, after ${after} calls: a kill of ${what}`),
    '  play it again with:',
    `    ${getCommand(history, played)}`,
  ].join('\n')
}

/** The same for a program. The life of a fault is null where it is of none in particular. */
export const reportJson = ({ history, faults }: Broken, played: Played) => ({
  faults: [...faults].map(([life, found]) => ({ life: life < 0 ? null : life, faults: found })),
  lives: history.lives,
  kills: history.kills,
  play_again: getCommand(history, played),
})

/** What plays it again. */
function getCommand(history: PartialHistory, { lives, processor }: Played): string {
  const at = processor === undefined ? '' : ` --processor ${processor}`
  return `npm run sim -- --seed ${history.seed} --lives ${lives}${at}${getKeep(history, lives)}`
}

const linesOfLife = ({ number, processor, paywalls, webhooks, steps }: PartialLife) => [
  `    life ${number}, at ${processor}${paywalls === 'one' ? '' : `, on ${paywalls}`}${webhooks === 'some' ? '' : `, of which ${webhooks} of the webhooks arrive`}`,
  ...steps.flatMap((step, round) => (step ? [`      round ${round}: ${JSON.stringify(step)}`] : [])),
]

const getKeep = (history: PartialHistory, lives: number) =>
  history.lives.length === lives && history.kills.length > 0 ? '' : ` --keep '${toKeepText(history)}'`
