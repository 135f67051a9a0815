import type { Options } from './options.ts'
import { formatKeep, type PartialHistory, type PartialLife } from './parts.ts'
import type { Faults } from './play.ts'
import type { FailingHistory } from './shrink.ts'

type Played = Pick<Options, 'lives' | 'processor'>

/** A line for each fault, with its life. Printed before the search for the shortest failing history, which may take long. */
export const faultLines = (faults: Faults): string[] =>
  [...faults].flatMap(([life, found]) => found.map((fault) => `  ${life < 0 ? 'the world' : `life ${life}`}: ${fault}`))

/** Formats a failing history, with the command that replays it. `played`: the options of the run. */
export function report({ history, faults }: FailingHistory, played: Played): string {
  const hasOneLife = history.lives.length === 1
  const shown = hasOneLife ? history.lives : history.lives.filter(({ number }) => faults.has(number))
  return [
    hasOneLife ? '  the shortest failing history:' : '  no life fails alone. Of all lives, these fail:',
    ...shown.flatMap(lifeLines),
    ...history.kills.map(({ round, what, after }) => `    round ${round}, after ${after} calls: kill ${what}`),
    '  replay it with:',
    `    ${replayCommand(history, played)}`,
  ].join('\n')
}

/** The same report for JSON. `life` is null for violations that belong to no life. */
export const reportJson = ({ history, faults }: FailingHistory, played: Played) => ({
  faults: [...faults].map(([life, found]) => ({ life: life < 0 ? null : life, faults: found })),
  lives: history.lives,
  kills: history.kills,
  play_again: replayCommand(history, played),
})

/** The command that replays a history. */
function replayCommand(history: PartialHistory, { lives, processor }: Played): string {
  const at = processor === undefined ? '' : ` --processor ${processor}`
  return `npm run sim -- --seed ${history.seed} --lives ${lives}${at}${keepOption(history, lives)}`
}

const lifeLines = ({ number, processor, paywalls, webhooks, steps }: PartialLife) => [
  `    life ${number}, at ${processor}${paywalls === 'one' ? '' : `, on ${paywalls}`}${webhooks === 'some' ? '' : `, ${webhooks} of its webhooks arrive`}`,
  ...steps.flatMap((step, round) => (step ? [`      round ${round}: ${JSON.stringify(step)}`] : [])),
]

const keepOption = (history: PartialHistory, lives: number) =>
  history.lives.length === lives && history.kills.length > 0 ? '' : ` --keep '${formatKeep(history)}'`
