import { seededRandom } from '../support/random.ts'

/** Random choices, the same for the same seed. */
export interface Dice {
  /** A whole number from 0 to below `count`. */
  below(count: number): number
  chance(probability: number): boolean
  pick<Thing>(things: readonly [Thing, ...Thing[]]): Thing
}

export function createDice(seed: number): Dice {
  const random = seededRandom(seed)
  const below = (count: number) => Math.floor(random() * count)
  return {
    below,
    chance: (probability) => random() < probability,
    pick: (things) => things[below(things.length)] ?? things[0],
  }
}
