import { CommandError } from '../../cli/command.ts'
import type { History } from './history.ts'
import type { Step } from './step.ts'

/*
 * A history with parts left out, and the text that names it: `3:0.2.5,17:1k` keeps steps 0, 2 and 5 of life 3, step 1 of
 * life 17, and the kills.
 */

/** A step that was left out: nothing happens in its round. */
export type Played = Step | null

export interface PartialHistory extends Omit<History, 'lives'> {
  lives: (Omit<History['lives'][number], 'steps'> & { steps: Played[] })[]
}

export type PartialLife = PartialHistory['lives'][number]

export const listSteps = ({ lives }: PartialHistory) =>
  lives.flatMap(({ steps }) => steps.filter((step) => step !== null))

/** Formats the remaining parts of a history for `--keep`; `selectSteps` parses it. */
export function formatKeep({ lives, kills }: PartialHistory): string {
  const named = lives.map(({ number, steps }) => {
    const places = steps.flatMap((step, place) => (step ? [place] : []))
    return `${number}:${places.join('.')}`
  })
  return named.join(',') + (kills.length > 0 ? 'k' : '')
}

/** Leaves only the parts of a history that `--keep` names. Throws a `CommandError` if it names none. */
export function selectSteps(history: History, text: string): PartialHistory {
  const parts = [...text.matchAll(/(\d+):([\d.]*)/g)].map(([, life = '', places = '']) => ({
    life: history.lives.find(({ number }) => number === Number(life)),
    places: places.split('.').map(Number),
  }))
  const lives = parts.flatMap(({ life, places }) =>
    life ? [{ ...life, steps: life.steps.map((step, place) => (places.includes(place) ? step : null)) }] : [],
  )
  if (lives.length === 0) throw new CommandError([`--keep names no life of this seed: ${text}`])
  return { ...history, lives, kills: text.endsWith('k') ? history.kills : [] }
}
