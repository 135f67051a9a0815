/** A generator of numbers from 0 to 1 that are the same for the same seed (mulberry32), so that a failed test can be reproduced. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A copy in random order. */
export function shuffled<Item>(things: Item[], random: () => number): Item[] {
  return things
    .map((thing) => ({ thing, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ thing }) => thing)
}

/** All possible orders of the items. */
export function permutations<Item>(things: Item[]): Item[][] {
  if (things.length < 2) return [things]
  return things.flatMap((first, index) => permutations(things.toSpliced(index, 1)).map((rest) => [first, ...rest]))
}
