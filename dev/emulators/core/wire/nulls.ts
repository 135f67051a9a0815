type Words<Line extends string> = Line extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Line

/** One value for several fields: `same(amount, 'subtotal total')`. */
export const same = <Value, const Line extends string>(value: Value, line: Line) =>
  Object.fromEntries(line.split(' ').map((name) => [name, value])) as Record<Words<Line>, Value>

/** The fields of an object that the emulator never fills, by their names: `nulls('phone shipping', 'tax')`. */
export const nulls = <const Lines extends string[]>(...lines: Lines): Record<Words<Lines[number]>, null> =>
  Object.assign({}, ...lines.map((line) => same(null, line)))
