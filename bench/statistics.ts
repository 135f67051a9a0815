/** The median and range of several rounds. */
export interface Spread {
  median: number
  min: number
  max: number
}

/** The value below which the given share (0 to 1) of sorted values lies. */
export function percentile(sorted: number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (value === undefined) throw new Error('no values')
  return value
}

export function spread(values: number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other)
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  return {
    median: ((lower ?? Number.NaN) + percentile(sorted, 0.5)) / 2,
    min: percentile(sorted, 0),
    max: percentile(sorted, 1),
  }
}

/** The quotients `one / other` of rounds that ran next to each other, under the same load of the machine. */
export function ratios(one: number[], other: number[]): Spread {
  return spread(one.map((value, round) => value / (other[round] ?? Number.NaN)))
}
