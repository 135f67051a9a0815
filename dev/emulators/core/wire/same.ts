type Words<Line extends string> = Line extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Line

/** One value for several fields: `same(amount, 'subtotal total')`. */
export const same = <Value, const Line extends string>(value: Value, line: Line) =>
  Object.fromEntries(line.split(' ').map((name) => [name, value])) as Record<Words<Line>, Value>
